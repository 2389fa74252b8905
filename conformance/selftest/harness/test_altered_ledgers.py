"""A ledger that was altered in one place is found out, and the line is named."""

import gzip
from collections.abc import Callable
from contextlib import closing
from io import FileIO
from pathlib import Path

import pytest

from conformance.harness.errors import LedgerError
from conformance.harness.ledger import Ledger, read_ledger
from conformance.records.ledger_lines import LEDGER_FILE, append
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.samples.ledgers import EXCHANGES, HEADER, written
from conformance.selftest.support.servers.recording import Small


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of a real ledger, of a run that wrote."""
    out = tmp_path_factory.mktemp("run")
    run_of(Small(), out, "power")
    return (out / LEDGER_FILE).read_bytes().splitlines(keepends=True)


def contents_of(path: Path, lines: list[bytes]) -> None:
    """Reads these lines as a ledger."""
    (path / "ledger").write_bytes(b"".join(lines))
    read_ledger(path / "ledger")


ONE_LINE: dict[str, Callable[[bytes], list[bytes]]] = {
    "a member is added": lambda line: [line.replace(b"{", b'{"more":1,', 1)],
    "it ends as lines do elsewhere": lambda line: [line.replace(b"\n", b"\r\n")],
    "it is cut": lambda line: [line[: len(line) // 2]],
    "it is gone": lambda _: [],
    "it stands there twice": lambda line: [line, line],
    "another one goes before it": lambda line: [
        b'{"n":1,"purpose":"read","previous":"' + b"0" * 64 + b'"}\n',
        line,
    ],
    "it is garbage": lambda _: [b"\x00\xff\xfe\x80\n"],
    "it is a number": lambda _: [b"1\n"],
}
ALTERED = [
    (how, place) for how in ONE_LINE for place in (0, 50, -2, -1) if (how, place) != ("it is gone", -1)
]
"""What is done, and to which line; a ledger whose very end is gone is one of a run that was cut off."""


@pytest.mark.parametrize(("how", "place"), ALTERED)
def test_altered_line_is_found_and_named(how: str, place: int, ledger: list[bytes], tmp_path: Path) -> None:
    """Whatever is done to one line, reading fails and names it, or the one after it."""
    number = place % len(ledger)
    lines = [*ledger[:number], *ONE_LINE[how](ledger[number]), *ledger[number + 1 :]]
    with pytest.raises(LedgerError, match=rf"line ({number + 1}|{number + 2}) "):
        contents_of(tmp_path, lines)


def test_no_byte_can_be_another(tmp_path: Path) -> None:
    """Each byte of a ledger, from the first to the last, changed in its lowest bit, is found."""
    whole = written(tmp_path / "whole", EXCHANGES[:1]).read_bytes()
    for place, byte in enumerate(whole):
        with pytest.raises(LedgerError, match="line"):
            contents_of(tmp_path, [whole[:place], bytes([byte ^ 1]), whole[place + 1 :]])


WHOLE: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "two lines change places": (
        lambda lines: [*lines[:20], lines[21], lines[20], *lines[22:]],
        "line 21 does not follow",
    ),
    "one more line stands at the end": (lambda lines: [*lines, lines[-2]], "line {more} stands after"),
    "the end comes too early": (lambda lines: [*lines[:20], lines[-1]], "line 21 does not follow"),
    "its last byte is gone": (lambda lines: [*lines[:-1], lines[-1][:-1]], "line {last} is cut"),
    "it ends within a line": (lambda lines: [*lines[:30], lines[30][:40]], "line 31 is cut"),
    "it is packed": (
        lambda lines: [gzip.compress(b"".join(lines), mtime=0)],
        "line 1 is cut or altered, or this is no ledger",
    ),
    "it is empty": (lambda _: [], "not a ledger"),
}


@pytest.mark.parametrize("how", WHOLE)
def test_altered_ledger_is_found_and_the_line_named(how: str, ledger: list[bytes], tmp_path: Path) -> None:
    """What is done to more than one line is found as well."""
    alter, words = WHOLE[how]
    with pytest.raises(LedgerError, match=words.format(last=len(ledger), more=len(ledger) + 1)):
        contents_of(tmp_path, alter(ledger))


@pytest.mark.parametrize("left", [1, 2, 40, -1])
def test_ledger_that_ends_with_a_line_is_one_of_a_run_that_was_cut_off(
    left: int, ledger: list[bytes], tmp_path: Path
) -> None:
    """Where whole lines are missing at the end, the others can be read, and the run was cut off."""
    (tmp_path / LEDGER_FILE).write_bytes(b"".join(ledger[:left]))
    with closing(Session.of_saved(SavedRun(tmp_path / LEDGER_FILE), tmp_path)) as session:
        assert session.is_cut_off


def interrupted(file: FileIO, text: str) -> None:
    """Writes, and then Ctrl-C comes."""
    append(file, text)
    raise KeyboardInterrupt


def test_interruption_within_the_writing_breaks_no_chain(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C right after a line was written: what the run still writes while it ends follows that line."""
    with Ledger(tmp_path / "ledger", HEADER) as book:
        with monkeypatch.context() as patch:
            patch.setattr("conformance.harness.ledger.append", interrupted)
            with pytest.raises(KeyboardInterrupt):
                book.add(EXCHANGES[0])
        book.add(EXCHANGES[1])
    assert read_ledger(tmp_path / "ledger").exchanges == EXCHANGES[:2]
