"""The recipes for contributors name every place: each is followed on a copy of the suite, and what it adds is
planned, judged, killed and rendered there.
"""

import json
import re
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from textwrap import dedent

import pytest

from conformance.selftest.support.commanding import ROOT, Ran, finished

GUIDE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. `([\w/.]+)`(.*?)(?=^\d+\. |^[^ \n]|\Z)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^ +```(\w+)\n(.*?)^ +```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the suite, without its tests, on which every step of every recipe was followed."""
    root = tmp_path_factory.mktemp("suite")
    for room in ("catalog", "conformance", "reports"):
        copytree(ROOT / room, root / room, ignore=ignore_patterns("selftest", "out", "__pycache__"))
    for file in ("conftest.py", "pyproject.toml"):
        copy(ROOT / file, root)
    for place, step in STEP.findall(GUIDE):
        for language, block in BLOCK.findall(step):
            follow(root / place, language, dedent(block))
    return root


def follow(file: Path, language: str, block: str) -> None:
    """Changes the lines of `file` that a diff names, or adds a block at its end."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    if language == "diff":
        lines = block.splitlines()
        old, new = ("\n".join(line[1:] for line in lines if line[0] != sign) for sign in "+-")
        assert text.count(old) == 1, f"{file} has not just one place like:\n{old}"
        text = text.replace(old, new)
    else:
        text = f"{text}\n\n{block}" if text else block
    file.write_text(text, encoding="utf-8")


def command(suite: Path, *words: str) -> Ran:
    """A command of the copy, run to its end."""
    script = [sys.executable, "-P", "-m", "conformance", *words]
    return finished(script, suite, {"PYTHONPATH": str(suite)})


@pytest.fixture(scope="module")
def judged(suite: Path) -> Ran:
    """The reference of the copy, judged on what the recipes add."""
    chosen = (
        "NightMode and washer-1 or RANGE-ALARMCLOCK-MINUTE or SET-ANSWER and coffee-maker-1"
        " or COOL-FRESH-CHILLER"
    )
    ran = command(suite, "run", "--level", "write", "--out", "out", "--", "-k", chosen)
    assert ran.code == 0, ran.output
    return ran


def test_key_is_planned(suite: Path) -> None:
    """A run of the reference reads the key of the recipe."""
    assert "NightMode" in command(suite, "plan", "--level", "read", "--requests").output


def test_key_and_clauses_are_judged(judged: Ran) -> None:
    """The reference passes the clauses of the recipes, and all that the catalog says of the key."""
    passed = {case["clause"] for case in judged.results["cases"] if case["verdict"] == "pass"}
    wanted = {"READ-SETTING", "TYPE-BOOLEAN", "SET-WRITABLE", "RANGE-ALARMCLOCK-MINUTE", "SET-ANSWER"}
    assert {*wanted, "COOL-FRESH-CHILLER"} <= passed


def test_mutants_are_killed_and_the_variant_is_not(suite: Path) -> None:
    """Each mutant of a recipe fails the clause that it names, and no other; the variant fails none, and the
    run of the unearned server is not green.
    """
    ran = command(suite, "prove", "--only", "example-", "--workers", "1")
    assert ran.code == 0, ran.output
    matrix = json.loads((suite / "reports" / "out" / "proof" / "kill-matrix.json").read_bytes())
    killed = {mutant["name"]: mutant["killed_by"] for mutant in matrix["mutants"]}
    assert killed == {
        "example-alarm-seconds": ["RANGE-ALARMCLOCK-MINUTE"],
        "example-write-200": ["SET-ANSWER"],
        "example-fresh-warms-the-chiller": ["COOL-FRESH-CHILLER"],
        "example-lock-as-one": ["TYPE-BOOLEAN"],
    }
    fails = {variant["name"]: variant["fails"] for variant in matrix["variants"]}
    assert fails == {"example-alarm-of-zero.L0": [], "example-alarm-of-zero.full": []}
    assert [(one["name"], one["ends"]) for one in matrix["unearned"]] == [("example-value-elsewhere", 3)]


def test_format_is_rendered(suite: Path, judged: Ran) -> None:
    """The command line has the format, and gives what the file of a run would be."""
    results = judged.results
    case = results["cases"][0]
    case |= {"verdict": "fail", "message": "is wrong"}
    finding = {"case": case["id"], "message": "is wrong", "clauses": [case["clause"]], "cases": [case["id"]]}
    results["findings"] = [{**finding, "waived": False}]
    (suite / "results.json").write_text(json.dumps(results), encoding="utf-8")
    ran = command(suite, "report", "results.json", "--format", "lines")
    assert ran.output == f"{case['id']}: is wrong\n"
