"""The ledger: what its lines hold and name, and what a reader refuses, such as one that was altered."""

import gzip
import hashlib
import json
from collections.abc import Callable
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import NONCE_HA_ID, Group
from conformance.checks.remarks import known
from conformance.harness.errors import LedgerError
from conformance.harness.ledger import START, Ledger, read_ledger
from conformance.records.ledger_lines import SCHEMA, NotRestored, append, recorded_in
from conformance.selftest.support.altered import places_taken
from conformance.selftest.support.handmade import ANCHOR, numbered, refusal, value
from conformance.selftest.support.ledgers import EXCHANGES, HEADER, exchanges, rechained, written


def test_each_line_carries_the_hash_of_the_line_before(tmp_path: Path) -> None:
    """The chain can be checked with nothing but SHA-256."""
    previous = START
    for line in written(tmp_path / "ledger", EXCHANGES).read_bytes().splitlines():
        assert json.loads(line)["previous"] == previous
        previous = hashlib.sha256(line).hexdigest()


def test_bytes_that_are_no_text_survive(tmp_path: Path) -> None:
    """A body that is no UTF-8 is kept in base64, and says so."""
    line = json.loads(written(tmp_path / "ledger", EXCHANGES).read_text().splitlines()[3])
    assert line["response"]["body_encoding"] == "base64"


def test_end_comes_back(tmp_path: Path) -> None:
    """The last line says when and why the run ended, what it left behind, and how much is still to come."""
    left = NotRestored("oven-1 was left", "oven-1", ANCHOR)
    with Ledger(tmp_path / "ledger", HEADER) as ledger:
        ledger.end("why", [left], planned=7, at="2026-01-02T00:00:00Z")
    assert read_ledger(tmp_path / "ledger")[4:] == ("2026-01-02T00:00:00Z", "why", (left,), 7)


def test_exchange_out_of_turn_is_refused(tmp_path: Path) -> None:
    """Numbers have no gaps."""
    with (
        Ledger(tmp_path / "ledger", HEADER) as ledger,
        pytest.raises(LedgerError, match="exchange 2 cannot follow 0"),
    ):
        ledger.add(EXCHANGES[1])


def test_exchange_is_in_the_file_at_once(tmp_path: Path) -> None:
    """Nothing is buffered: a process that is killed leaves every exchange, and no last line."""
    path = tmp_path / "ledger"
    with Ledger(path, HEADER) as ledger:
        for exchange in EXCHANGES:
            ledger.add(exchange)
        assert read_ledger(path)[:5] == (HEADER, EXCHANGES, False, [], EXCHANGES[-1].at)


def test_member_of_another_type_is_refused(tmp_path: Path) -> None:
    """Where a member of any kind of line has another type, the ledger is refused, though its chain holds."""
    path, last = tmp_path / "ledger", EXCHANGES[3]
    response = last.response and replace(last.response, redirects=("x",))
    with Ledger(path, HEADER) as ledger:
        for each in [*EXCHANGES[:3], replace(last, purpose="write", value=6, response=response)]:
            ledger.add(each)
        ledger.remark(Remark("event", Group.parse("touch"), "one", ANCHOR, {"heard": 1}))
        ledger.remark(known((NONCE_HA_ID, Group.parse("touch")), "one", EXCHANGES[0]))
        ledger.end("why", [NotRestored("oven-1 was left", "oven-1", ANCHOR)])
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    places: set[str] = set()
    told: set[str] = set()
    for number, line in enumerate(lines):

        def read(other: dict[str, Any], number: int = number) -> None:
            altered = [*lines[:number], {"n": number, **other}, *lines[number + 1 :]]
            path.write_text(rechained(altered), encoding="utf-8")
            try:
                read_ledger(path)
            except LedgerError as error:
                told.add(str(error)[: len(f"{path}: line 1")])
                raise

        members = {name: line[name] for name in line if name not in {"n", "previous", "seal"}}
        places |= places_taken(members, read, LedgerError)
    assert places <= {*PLAIN, *OPTIONAL, "response.elapsed_ms"}
    assert told >= {f"{path}: line {number}" for number in range(2, len(lines) + 1)}


@pytest.mark.parametrize("at", ["", "yesterday", "2026-01-02T00:00:00"])
def test_line_of_no_moment_is_refused(at: str, tmp_path: Path) -> None:
    """A time without its zone is none: results, of which it is the beginning or the end, say when it was."""
    lines = [json.loads(line) for line in written(tmp_path / "ledger", EXCHANGES).read_bytes().splitlines()]
    for number in (0, len(lines) - 1):
        altered = [*lines[:number], {**lines[number], "at": at}, *lines[number + 1 :]]
        (tmp_path / "ledger").write_text(rechained(altered), encoding="utf-8")
        with pytest.raises(LedgerError, match=f"line {number + 1} is not as this suite writes it"):
            read_ledger(tmp_path / "ledger")


# Places where a value of another type is one that this suite may write: plain JSON, whose members are looked
# at where they are used; what may be null; a number of either kind.
PLAIN = {"value", "note.heard", "profile.target", "profile.target.name"}
OPTIONAL = {"request.body", "response", "failure", "response.body_encoding"}


@given(st.lists(exchanges, max_size=4).map(numbered))
def test_any_exchanges_come_back(some: list[Exchange]) -> None:
    """Whatever stands in an exchange, the ledger gives it back equal."""
    with TemporaryDirectory() as directory:
        assert read_ledger(written(Path(directory) / "ledger", some))[:4] == (HEADER, some, True, [])


# The lines of a ledger: what they name, where they are shown, and where they come into another ledger.
def test_report_passes_over_what_it_cannot_read(tmp_path: Path) -> None:
    """Of a ledger without a last line, with lines that are none, each other one comes with its number."""
    path = tmp_path / "ledger"
    noted = Remark("event", Group.parse("touch"), "one", ANCHOR, {"heard": 1})
    assert list(recorded_in(path)) == []
    with Ledger(path, HEADER) as ledger:
        ledger.add(EXCHANGES[0])
        ledger.remark(noted)
    whole = [(0, HEADER), (1, EXCHANGES[0]), (2, noted)]
    path.write_bytes(b'{"n": 0}\n' + b"[" * 9_999 + b"\n" + path.read_bytes())
    assert list(recorded_in(path)) == whole
    assert list(recorded_in(path, lambda text: b'"request"' in text)) == whole[1:2]


def test_line_names_procedures_and_lane(tmp_path: Path) -> None:
    """A line says which procedures an exchange was made for, and of which appliance they are."""
    unknown = replace(refusal(ANCHOR, group=NONCE_HA_ID), ha_id="nobody", lane="one")
    with Ledger(tmp_path / "ledger", HEADER) as ledger:
        for each in numbered([value(ANCHOR, 5), unknown]):
            ledger.add(each)
    lines = [json.loads(line) for line in (tmp_path / "ledger").read_text(encoding="utf-8").splitlines()[1:3]]
    assert [(line["groups"], line["lane"], line["ha_id"]) for line in lines] == [
        ([], "one", "one"),
        (["nonce/ha_id"], "one", "nobody"),
    ]


# Whatever was altered in one place is found, and the line is named.
@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of a ledger with many exchanges."""
    path = tmp_path_factory.mktemp("run") / "ledger"
    return written(path, numbered(EXCHANGES * 20)).read_bytes().splitlines(keepends=True)


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


def holding(content: bytes) -> Callable[[list[bytes]], list[bytes]]:
    """In place of a ledger, a file that holds this."""
    return lambda _: [content]


def headed(schema: str) -> Callable[[list[bytes]], list[bytes]]:
    """The same of a file whose only line names a schema."""
    return holding(json.dumps({"schema": schema, "previous": START}).encode())


WHOLE: dict[str, tuple[Callable[[list[bytes]], list[bytes]], str]] = {
    "two lines change places": (
        lambda lines: [*lines[:20], lines[21], lines[20], *lines[22:]],
        "line 21 does not follow",
    ),
    "one more line stands at the end": (lambda lines: [*lines, lines[-2]], "line {more} stands after"),
    "the end comes too early": (lambda lines: [*lines[:20], lines[-1]], "line 21 does not follow"),
    "its last byte is gone": (lambda lines: [*lines[:-1], lines[-1][:-1]], "line {last} is cut"),
    "it ends within a line": (lambda lines: [*lines[:30], lines[30][:40]], "line 31 is cut"),
    # What never was a ledger is refused in the same way.
    "it is empty": (holding(b""), "ledger"),
    "it is text": (holding(b"hello\n"), "ledger"),
    "it is a list": (holding(b"[1]\n"), "ledger"),
    "it is null": (holding(b"null\n"), "ledger"),
    "it has another schema": (headed("x"), "ledger"),
    "it has the schema alone": (headed(SCHEMA), "ledger"),
    "it is bottomless": (holding(b"[" * 100_000), "ledger"),
    "it is bytes": (holding(b"\xff\xfe\x00"), "ledger"),
    "it is packed": (
        lambda lines: [gzip.compress(b"".join(lines), mtime=0)],
        "line 1 is cut or altered, or this is no ledger",
    ),
}


@pytest.mark.parametrize("how", WHOLE)
def test_ledger_that_was_altered_or_is_none_is_refused(how: str, ledger: list[bytes], tmp_path: Path) -> None:
    """Whatever is done to several lines, and whatever else a file holds, reading it fails in one way."""
    alter, words = WHOLE[how]
    with pytest.raises(LedgerError, match=words.format(last=len(ledger), more=len(ledger) + 1)):
        contents_of(tmp_path, alter(ledger))


@pytest.mark.parametrize("left", [1, 2, 40, -1])
def test_ledger_that_ends_with_a_line_is_that_of_a_run_that_was_cut_off(
    left: int, ledger: list[bytes], tmp_path: Path
) -> None:
    """Where whole lines are missing at the end, the others can be read."""
    (tmp_path / "ledger").write_bytes(b"".join(ledger[:left]))
    assert read_ledger(tmp_path / "ledger")[2] is False


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
