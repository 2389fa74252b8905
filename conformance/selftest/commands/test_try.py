"""How one begins: with one pasted line, or a few answers of a person."""

import io
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.mutants.shapes.reads import sends
from conformance.reference.server import serve
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.pasted.strange_servers import FRIDGE, SECRET, SETTING, Guarded, at
from conformance.selftest.support.commands import BARE, command, running_first, without_masking
from conformance.selftest.support.ran import Ran

ADDRESS = f"{SETTING}/BSH.Common.Setting.PowerState".replace("{ha_id}", FRIDGE.ha_id)
DRAFT = "hub.toml"
TRY: Any = import_module("conformance.commands.try")
METHODS: list[str] = []
"""The methods that the server was asked with."""


class Echoing(Guarded):
    """Repeats in each answer what it was asked with."""

    def answer(self, request: Incoming) -> Reply:
        """Takes the method down, and echoes the token in a header."""
        METHODS.append(request.method)
        reply = super().answer(request)
        token = request.headers.get("authorization", "")
        return replace(reply, headers={**reply.headers, "X-Echo": token})


@pytest.fixture(scope="module")
def echoing() -> Iterator[str]:
    """The base URL of such a server."""
    with serve({"": at(Echoing, FRIDGE)()}) as base_url:
        yield base_url


def tried(
    directory: Path, base_url: str, *words: str, token: str = SECRET, env: dict[str, str] | None = None
) -> Ran:
    """`appliance-conformance try` with a colleague's line as a shell has split it."""
    line = ["curl", "-H", f"Authorization: Bearer {token}", f"{base_url}/{ADDRESS}"]
    places = ["--out", "out", "-o", DRAFT, "--state", "state"]
    return command("try", *places, *words, *line, directory=directory, env=env)


def files_of(directory: Path) -> dict[Path, bytes]:
    """Every file in a directory."""
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def first(echoing: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """A line that was tried, and the directory of that."""
    here = tmp_path_factory.mktemp("first")
    return tried(here, echoing), here


def test_line_gives_a_verdict_and_a_draft(first: tuple[Ran, Path]) -> None:
    """It says what it has inferred and how, the verdict, where the draft is, and what to type next."""
    ran, here = first
    assert ran.code == 0, ran.output
    assert "(from 4 keys that only this kind has; --kind says otherwise)" in ran.output
    assert "Nothing contradicts the document" in ran.output
    lines = ran.output.strip().splitlines()
    assert f"next: appliance-conformance run {DRAFT}" in lines
    last = lines[-1]
    assert last.endswith(f"export APPLIANCE_TOKEN && appliance-conformance run {DRAFT}")
    assert tomllib.loads((here / DRAFT).read_text())["target"]["vendor"] == "BSH"
    assert (ran.out / "report.html").is_file()


def test_secret_of_the_line_is_left_nowhere(first: tuple[Ran, Path]) -> None:
    """It stands in no file and in nothing that was said, though the server repeats it in each answer."""
    ran, here = first
    assert SECRET not in ran.output
    assert [path for path, text in files_of(here).items() if SECRET.encode() in text] == []
    assert "${APPLIANCE_TOKEN}" in (ran.out / "evidence.ndjson").read_text()


def test_only_reads_are_sent(first: tuple[Ran, Path]) -> None:
    """Nothing is ever written to the target, and it is asked little."""
    assert first[0].code == 0
    assert set(METHODS) == {"GET"}
    assert len(first[0].evidence) < 80


def test_draft_is_a_profile(first: tuple[Ran, Path], tmp_path: Path) -> None:
    """The next command works, with the variable that it names."""
    _, here = first
    assert command("check", str(here / DRAFT)).code == 0
    ran = command("run", str(here / DRAFT), *BARE, directory=tmp_path, env={"APPLIANCE_TOKEN": SECRET})
    assert ran.code == 0, ran.output


def test_line_on_standard_input(echoing: str, tmp_path: Path) -> None:
    """As a browser has it, over several lines; what a second one drafts completes the first."""
    line = f"curl '{echoing}/{ADDRESS}' \\\n  -H 'authorization: Bearer {SECRET}' \\\n  --compressed\n"
    typed = running_first(tmp_path, f"import io, sys\n\nsys.stdin = io.StringIO({line!r})\n")
    for _ in range(2):
        ran = command("try", "--state", "state", "-o", DRAFT, directory=tmp_path, env=typed)
        assert (ran.code, SECRET in ran.output) == (0, False), ran.output
        assert "neither under supports" not in ran.output
    assert len(tomllib.loads((tmp_path / DRAFT).read_text())["appliance"]) == 1


def test_fault_is_a_finding(tmp_path: Path) -> None:
    """A server that does not conform ends it with 1, as it ends a run."""
    with serve({"": at(Guarded, FRIDGE, layers=(sends(keys.CHILD_LOCK, "no"),))()}) as base_url:
        ran = tried(tmp_path, base_url)
    assert (ran.code, 'value is "no" (string), document says Boolean' in ran.output) == (1, True)


def test_who_is_not_let_in_is_told_so(echoing: str, tmp_path: Path) -> None:
    """One request shows it; nothing is drafted, and the wrong token is left nowhere either."""
    before = len(METHODS)
    ran = tried(tmp_path, echoing, token="another-0815-token")
    assert (ran.code, len(METHODS) - before) == (3, 1)
    assert "access is refused (status 401" in ran.output
    assert not (tmp_path / DRAFT).exists()
    left = (ran.output.encode(), *files_of(tmp_path).values())
    assert not any(b"another-0815" in text for text in left)


def test_secret_in_an_output_ends_with_5(echoing: str, tmp_path: Path) -> None:
    """If one slips through, it is found."""
    ran = tried(tmp_path, echoing, env=without_masking(tmp_path))
    assert ran.code == 5
    assert "a secret is in an output: evidence.ndjson holds ${APPLIANCE_TOKEN}" in ran.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["wget", "http://127.0.0.1:9"], "no line of curl"),
        (["curl", "-H", "Authorization: Bearer short", "http://127.0.0.1:9/api"], "fewer than 8 characters"),
        (["curl", "-H", f"X-Key: ${SECRET.partition('-')[0].upper()}_NOT_SET", "http://h"], "is not set"),
    ],
)
def test_line_that_cannot_be_used_sends_nothing(words: list[str], says: str, tmp_path: Path) -> None:
    """It ends with 2."""
    ran = command("try", *words, directory=tmp_path)
    assert (ran.code, says in ran.output, list(tmp_path.iterdir())) == (2, True, [])


def test_file_that_says_otherwise_stays(echoing: str, tmp_path: Path) -> None:
    """A profile of another server is not completed, and no key is read for it."""
    text = '[target]\nname = "x"\nbase_url = "http://127.0.0.1:9"\n'
    (tmp_path / DRAFT).write_text(text)
    ran = tried(tmp_path, echoing)
    assert (ran.code, (tmp_path / DRAFT).read_text()) == (2, text)
    assert "target.base_url" in ran.output


def terminal(monkeypatch: pytest.MonkeyPatch, typed: str = "") -> None:
    """Stands a person at the terminal, who types that."""
    stdin = io.StringIO(typed)
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", stdin)


def test_line_is_taken_from_the_clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal without a line, the clipboard is asked; one that holds no address is none."""
    terminal(monkeypatch)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    clipboard = tmp_path / "pbpaste"
    for text, says in (("curl http://hub/api", ""), ("a shopping list", "no clipboard holds one")):
        clipboard.write_text(f"#!/bin/sh\nprintf '{text}'\n")
        clipboard.chmod(0o755)
        if says:
            with pytest.raises(click.UsageError, match=says):
                TRY._pasted()
        else:
            assert TRY._pasted() == text


def test_one_question_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one is; after that, and where nobody sits at a terminal, none is."""
    terminal(monkeypatch, "/is\n/was\n")
    ask = TRY._asked_once()
    assert [ask("where is it?", "--value"), ask("and now?", "--vendor")] == ["/is", ""]
    monkeypatch.setattr(sys, "stdin", io.StringIO("/is\n"))
    assert TRY._asked_once()("where is it?", "--value") == ""
