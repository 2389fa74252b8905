"""How one begins: with one pasted line, a few answers of a person, or a few requests that tell whether a
profile fits.
"""

import io
import os
import shlex
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.harness.reads.glance import MOST_OF_A_KIND
from conformance.mutants.shapes.reads import sends
from conformance.profiles.toml import toml_of
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.exit_codes import INCONCLUSIVE, USAGE
from conformance.selftest.pasted.strange_servers import FRIDGE, SECRET, SETTING, Guarded, at
from conformance.selftest.support.commands import BARE, command, files_in, running_first, without_masking
from conformance.selftest.support.ran import Ran

ADDRESS = f"{SETTING}/BSH.Common.Setting.PowerState".replace("{ha_id}", FRIDGE.ha_id)
DRAFT = "my hub.toml"
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


def trial_of(
    directory: Path, base_url: str, *words: str, token: str = SECRET, env: dict[str, str] | None = None
) -> Ran:
    """`appliance-conformance try` with a colleague's line as a shell has split it."""
    line = ["curl", "-H", f"Authorization: Bearer {token}", f"{base_url}/{ADDRESS}"]
    places = ["--out", "out", "-o", DRAFT, "--state", "state"]
    return command("try", *places, *words, *line, directory=directory, env=env)


@pytest.fixture(scope="module")
def first(echoing: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """A line that was tried, and the directory of that."""
    here = tmp_path_factory.mktemp("first")
    return trial_of(here, echoing), here


def test_line_gives_a_verdict_and_a_draft(first: tuple[Ran, Path]) -> None:
    """It says what it has inferred and how, the verdict, where the draft is, and what to type next."""
    ran, here = first
    assert ran.code == 0, ran.output
    assert "(from 4 keys that only this kind has; --kind says otherwise)" in ran.output
    assert "Nothing contradicts the document" in ran.output
    lines = ran.output.strip().splitlines()
    exports = "read -rs APPLIANCE_TOKEN && export APPLIANCE_TOKEN"
    says_next = [line for line in lines if line.startswith("next:")]
    assert says_next == [f"next: {exports} && appliance-conformance run {shlex.quote(DRAFT)}"]
    assert lines[-1] == says_next[0]
    assert tomllib.loads((here / DRAFT).read_text())["target"]["vendor"] == "BSH"
    assert (ran.out / "report.html").is_file()


def test_secret_of_the_line_is_left_nowhere(first: tuple[Ran, Path]) -> None:
    """It stands in no file and in nothing that was said, though the server repeats it in each answer."""
    ran, here = first
    assert SECRET not in ran.output
    assert [path for path, text in files_in(here).items() if SECRET.encode() in text] == []
    assert "${APPLIANCE_TOKEN}" in (ran.out / "evidence.ndjson").read_text()


def test_only_reads_are_sent(first: tuple[Ran, Path]) -> None:
    """Nothing is ever written to the target, and it is asked little."""
    assert first[0].code == 0
    assert set(METHODS) == {"GET"}
    assert len(first[0].evidence) < 80


def test_token_is_gone_with_the_command() -> None:
    """A command that a test calls in its own process leaves no variable to the next one."""
    before = {**os.environ}
    assert command("try", "curl -H 'Authorization: Bearer short' http://hub/api").code == USAGE
    assert {**os.environ} == before


def test_draft_is_a_profile(first: tuple[Ran, Path], tmp_path: Path) -> None:
    """The next command works, with the variable that it names."""
    _, here = first
    assert command("check", str(here / DRAFT)).code == 0
    words = ("run", str(here / DRAFT), *BARE, "-k", "READ and PowerState")
    ran = command(*words, directory=tmp_path, env={"APPLIANCE_TOKEN": SECRET})
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
        ran = trial_of(tmp_path, base_url)
    assert (ran.code, 'value is "no" (string), document says Boolean' in ran.output) == (1, True)


def test_who_is_not_let_in_is_told_so(echoing: str, tmp_path: Path) -> None:
    """One request shows it; nothing is drafted, and the wrong token is left nowhere either."""
    before = len(METHODS)
    ran = trial_of(tmp_path, echoing, token="another-0815-token")
    assert (ran.code, len(METHODS) - before) == (3, 1)
    assert "access is refused (status 401" in ran.output
    assert not (tmp_path / DRAFT).exists()
    left = (ran.output.encode(), *files_in(tmp_path).values())
    assert not any(b"another-0815" in text for text in left)


def test_secret_in_an_output_ends_with_5(echoing: str, tmp_path: Path) -> None:
    """If one slips through, it is found; the profile of another run that was there is kept."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "profile.toml").write_text("# of another run")
    ran = trial_of(tmp_path, echoing, env=without_masking(tmp_path))
    assert (ran.code, (tmp_path / "out" / "profile.before.toml").read_text()) == (5, "# of another run")
    assert "a secret is in an output: evidence.ndjson holds ${APPLIANCE_TOKEN}" in ran.output


def test_file_that_says_otherwise_stays(echoing: str, tmp_path: Path) -> None:
    """A profile of another server is not completed, and no key is read for it."""
    text = '[target]\nname = "x"\nbase_url = "http://127.0.0.1:9"\n'
    (tmp_path / DRAFT).write_text(text)
    ran = trial_of(tmp_path, echoing)
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


# A few requests of `check --ask` tell whether a profile fits; its exit code says who has to do something.
ASKED = ("fridge-1", "hood-1", "oven-1")
NONE: Mapping[str, object] = {}


class Counting(Service):
    """The reference, which counts what it is asked, by haId."""

    asked: Counter[str]

    def answer(self, request: Incoming) -> Reply:
        self.asked[request.path.split("/")[3]] += 1
        return super().answer(request)


@pytest.fixture
def served() -> Iterator[tuple[Counting, str]]:
    """A reference that counts, and its base URL."""
    service = Counting()
    service.asked = Counter()
    with serve({"": service}) as base_url:
        yield service, base_url


def file_of(path: Path, base_url: str, mistake: Mapping[str, object], **claims: object) -> str:
    """The path of a truthful profile of three appliances with a mistake; `claims` are those of the hood."""
    data: dict[str, Any] = laid_over(truthful_profile(Service(), base_url), mistake)
    tables = (table for table in data["appliance"] if table["ha_id"] in ASKED)
    data["appliance"] = [{**table, **claims} if table["kind"] == "Hood" else table for table in tables]
    path.write_text(toml_of(data), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("wrong", "code", "line"),
    [
        ((NONE, NONE), 0, "what was answered fits the profile"),
        (({"answer": {"value": "/value"}}, NONE), USAGE, 'is it [answer] value = "/data/value"?'),
        (({"answer": {"value": "/data/type"}}, NONE), USAGE, 'is it [answer] value = "/data/value"?'),
        (({"answer": {"min": "/data/constraints/max"}}, NONE), USAGE, 'min = "/data/constraints/min"?'),
        (({"target": {"vendor": "Acme"}}, NONE), USAGE, 'is it [target] vendor = "Vendor"?'),
        (({"http": {"success": "204"}}, NONE), USAGE, "http.success '204' leaves out 200"),
        ((NONE, {"kind": "Washer"}), 0, 'is it [[appliance]] hood-1 kind = "Hood"?'),
        (
            (NONE, {"kind": "Oven", "supports": list[str]()}),
            USAGE,
            'is it [[appliance]] hood-1 kind = "Hood"?',
        ),
        ((NONE, {"ha_id": "hood-9"}), INCONCLUSIVE, "haId hood-9: fridge-1 answers, this one does not"),
        ((NONE, {"power_states": ["On", "Standby"]}), 0, "[[appliance]] hood-1 power_states = "),
        (
            (NONE, {"supports": [keys.ALARM_CLOCK], "lacks": [], "writable": []}),
            0,  # a key that is refused as one that does not exist may be hidden
            f"is it [[appliance]] hood-1 supports without {keys.ALARM_CLOCK}?",
        ),
        (({"answer": {"unit": None}}, NONE), 0, 'not declared, but shown: [answer] unit = "/data/unit"'),
    ],
)
def test_what_does_not_fit_is_said(
    tmp_path: Path,
    served: tuple[Counting, str],
    wrong: tuple[Mapping[str, object], Mapping[str, object]],
    code: int,
    line: str,
) -> None:
    """The line to write is named, after few requests; what the server may be wrong about is only asked."""
    service, base_url = served
    file = file_of(tmp_path / "hub.toml", base_url, wrong[0], **wrong[1])
    result = command("check", file, "--ask", "--state", str(tmp_path / "state"))
    assert (result.code, line in result.output) == (code, True), result.output
    assert service.asked.total() <= MOST_OF_A_KIND * len(ASKED)


def test_address_at_which_nothing_is_found(tmp_path: Path, served: tuple[Counting, str]) -> None:
    """Nothing under the path: what to look at first, and 3."""
    file = file_of(tmp_path / "hub.toml", f"{served[1]}/api", {})
    result = command("check", file, "--ask", "--state", str(tmp_path / "state"))
    assert f"base_url ends in /api, which the suite adds: is it {served[1]}?" in result.output
    assert result.code == INCONCLUSIVE


def test_requests_count_for_the_day(tmp_path: Path, served: tuple[Counting, str]) -> None:
    """What was asked is taken off the day of the target; where nothing is left, nothing is sent."""
    service, base_url = served
    state = ("--state", str(tmp_path / "state"))
    file = file_of(tmp_path / "hub.toml", base_url, {"pace": {"per_day": 40}})
    assert command("check", file, "--ask", *state).code == 0
    sent = service.asked.total()
    assert f"{40 - sent:,}" in command("check", file, *state).output
    assert command("check", file, "--ask", *state).code == INCONCLUSIVE  # what is left is used up
    assert command("check", file, "--ask", *state).code == INCONCLUSIVE
    assert service.asked.total() == 40


def test_access_that_is_refused_is_said(tmp_path: Path) -> None:
    """A token that the target does not take is no mistake that the file shows: 3."""
    with serve({"": Guarded()}) as base_url:
        file = file_of(tmp_path / "hub.toml", base_url, {})
        result = command("check", file, "--ask", "--state", str(tmp_path / "state"))
    assert "access is refused (status 401" in result.output
    assert result.code == INCONCLUSIVE
