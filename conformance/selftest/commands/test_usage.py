"""Wrong usage ends with 2 and says what is wrong, before anything is sent; every command explains itself."""

import re
import sys
from pathlib import Path

import pytest

from conformance.commands import main
from conformance.runs.identity import suite_version
from conformance.selftest.support.commands import FRIDGE, command, program

URL = ("--base-url", "http://127.0.0.1:9")
THREE_MISTAKES = """
[target]
name = "hub"
base_url = "http://127.0.0.1:9"
vendr = "Maker"

[http]
timeout = 5

[pace]
per_minute = "many"

[[appliance]]
ha_id = "fridge-1"
kind = "Refrigerator"
"""
PLACES = ("target.vendr", "http.timeout: no such field (did you mean 'timeout_s'?)", "pace.per_minute")
WRONG = {
    "no such file": (
        ["nosuch.toml"],
        "nosuch.toml: 1 mistake\n  target: is no file, and no server of the suite",
    ),
    "nearly the reference": (["refrence"], "no server of the suite (did you mean 'reference'?)"),
    "a directory": (["."], "Is a directory"),
    "no such mutant": (["mutant:nosuch"], "there is no mutant 'nosuch'"),
    "nearly a mutant": (["mutant:booleans-as-word"], "did you mean 'mutant:booleans-as-words'?"),
    "nearly a variant": (["variant:offlin"], "did you mean 'variant:offline'?"),
    "an appliance without its kind": ([*URL, "--appliance", "fridge-1"], "is not HAID:KIND"),
    "a kind misspelt": ([*URL, "--appliance", "fridge-1:Refridgerator"], "did you mean 'Refrigerator'?"),
    "an address without appliances": ([*URL], "name at least one appliance"),
    "an appliance without an address": ([*FRIDGE], "--appliance goes with --base-url"),
    "a maker without an address": (["--vendor", "Maker"], "--vendor goes with --base-url"),
    "a maker beside a profile": (
        ["hub.toml", "--vendor", "Maker"],
        "--vendor goes with --base-url: a profile says target.vendor",
    ),
    "a maker's name with a dot": ([*URL, *FRIDGE, "--vendor", "a.b"], "target.vendor"),
    "an address that is none": (["--base-url", "hub", *FRIDGE], "must be http://HOST"),
    "a target and an address": (["mutant:booleans-as-words", *URL, *FRIDGE], "not both"),
    "two targets": (["reference", "reference"], "unexpected extra argument"),
}


@pytest.mark.parametrize("verb", ["run", "plan"])
@pytest.mark.parametrize("words", WRONG)
def test_wrong_target_ends_with_2(
    words: str, verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run and plan refuse what is no target, with its mistake."""
    monkeypatch.chdir(tmp_path)
    asked, finding = WRONG[words]
    result = command(verb, *asked)
    assert result.code == 2
    assert finding in result.output


@pytest.mark.parametrize("verb", ["run", "plan", "check"])
def test_every_mistake_of_a_profile_is_said(verb: str, tmp_path: Path) -> None:
    """Three mistakes of a profile are three lines, each with its place."""
    profile = tmp_path / "hub.toml"
    profile.write_text(THREE_MISTAKES, encoding="utf-8")
    result = command(verb, str(profile))
    assert result.code == 2
    assert "hub.toml: 3 mistakes" in result.output
    assert all(place in result.output for place in PLACES)


def test_out_below_a_file_is_wrong_usage(tmp_path: Path) -> None:
    """A directory that cannot be made is said in one line, not as a crash and never as 1."""
    (tmp_path / "file").touch()
    result = command("run", "--out", str(tmp_path / "file" / "out"))
    lines = [line for line in result.output.splitlines() if not line.startswith("kind ")]
    assert (result.code, lines) == (2, result.output.splitlines()[-1:])


def test_a_crash_of_a_command_is_the_suites_own_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What escapes a command ends with 5, since 1 would say that a target does not conform."""
    monkeypatch.setattr("conformance.runs.drafts.drafting.draft", None)
    result = command("init", *URL, *FRIDGE, "-o", str(tmp_path / "hub.toml"))
    assert result.code == 5


def test_proof_of_nothing_is_wrong_usage(tmp_path: Path) -> None:
    """A proof for which no server is left proves nothing, also where another text has some."""
    only = "--only", "any-ha-id", "--only", "nosuch"
    assert "no server has 'nosuch' in its name" in command("prove", *only, "--out", str(tmp_path)).output


def test_serving_what_is_no_server_of_the_suite_is_wrong_usage() -> None:
    """Only servers of the suite can be served."""
    assert command("serve", "hub.toml").code == 2
    assert command("serve", "mutant:nosuch").code == 2
    assert command("serve", "unearned:any-ha-id").code == 2


@pytest.mark.parametrize(
    "word", ["--out=elsewhere", "--certify", "--level=read", "--junit-inconclusive=failure"]
)
def test_own_options_stand_before_the_dashes(tmp_path: Path, word: str) -> None:
    """An option of the command after -- would overrule the one before it, so nothing is run."""
    result = command("run", "--out", str(tmp_path / "out"), "--", word)
    assert (result.code, "stands before --" in result.output) == (2, True)
    assert not (tmp_path / "out").exists()


COMMANDS = main.list_commands(None)  # pyright: ignore[reportArgumentType]  the list needs no context
DEAR = {"pytest", "pydantic", "httpx", "hypothesis", "schemathesis", "starlette", "jinja2", "rich", "tomlkit"}
HELPING = f"""
import sys
from conformance.commands import main
for command in {COMMANDS}:
    try:
        main([command, "--help"])
    except SystemExit as end:
        print("ended", end.code, sorted({DEAR} & set(sys.modules)))
"""
ONE_FRIDGE = """
[target]
name = "hub"
base_url = "http://127.0.0.1:9"

[[appliance]]
ha_id = "fridge-1"
kind = "Refrigerator"
"""
LATE = {"jinja2", "tomlkit", "starlette", "hypothesis", "schemathesis"}
BEGINNING = f"""
import os, sys
from conformance.commands import main
from conformance.runs.session import Session
def read(*_):
    print("imported", sorted({LATE} & set(sys.modules)), flush=True)
    os._exit(0)
Session.read = read
main(sys.argv[1:])
"""


def test_help_imports_nothing_dear(tmp_path: Path) -> None:
    """--help of each command ends with 0 and has imported neither pytest nor pydantic nor httpx."""
    said_by_all = program(sys.executable, "-P", "-c", HELPING, directory=tmp_path).output
    assert re.findall("^ended.*", said_by_all, re.MULTILINE) == ["ended 0 []"] * len(COMMANDS)


def test_nothing_is_imported_that_only_later_phases_need(tmp_path: Path) -> None:
    """When a run begins to read, it has imported nothing that makes pages, profiles or generated requests."""
    (tmp_path / "hub.toml").write_text(ONE_FRIDGE, encoding="utf-8")
    words = "run", "hub.toml", "--out", "out", "--state", "state"
    begun = program(sys.executable, "-P", "-c", BEGINNING, *words, directory=tmp_path)
    assert "imported []\n" in begun.output


def test_version_is_that_of_the_distribution() -> None:
    """--version names the suite and its version."""
    assert command("--version").output == f"appliance-conformance, version {suite_version()}\n"


def test_help_names_the_exit_codes() -> None:
    """The overview lists what run ends with."""
    named = re.findall(r"\b(\d)\s+[a-z]", command("--help").output.partition("Exit codes")[2])
    assert named == ["0", "1", "2", "3", "4", "5"]
