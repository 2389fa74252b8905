"""Workflows and recipes do what their pages say."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from shutil import copy, copytree, ignore_patterns
from textwrap import dedent
from typing import Any, NamedTuple

import pytest
import yaml

from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import command, program, surroundings
from reports.formats import FILES as FORMATS

ACTION = ROOT / ".github" / "actions" / "judge"
WORKFLOWS = ROOT / ".github" / "workflows"
CAMPAIGN = ROOT / ".github" / "campaigns" / "github.yml"
_PINNED = re.compile(r"(actions|github)/[\w/-]+@[0-9a-f]{40}")
GUIDE = (ROOT / ".github" / "guides" / "nightly.md").read_text(encoding="utf-8")


def of_yaml(path: Path) -> Any:
    """A file of YAML, in which the key `on` is not taken for a Boolean."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)


FILES = {path.name: of_yaml(path) for path in (*WORKFLOWS.glob("*.yml"), ACTION / "action.yml")}
JUDGE, NIGHTLY = FILES["action.yml"], FILES["nightly.yml"]["on"]["workflow_call"]


def steps_of(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every step of a workflow or an action."""
    for job in document.get("jobs", {"": document.get("runs")}).values():
        yield from job.get("steps", ())


@pytest.mark.parametrize("name", FILES)
def test_steps_use_and_run_what_nobody_can_change(name: str) -> None:
    """A step uses an action of this repository, or one of GitHub's at a commit, which nobody can move. What a
    caller says reaches a shell as a variable, never as part of what is run.
    """
    for step in steps_of(FILES[name]):
        assert "${{" not in step.get("run", "")
        used = step.get("uses", "$/.github/actions/judge")
        assert _PINNED.fullmatch(used) or (ROOT / used.removeprefix("$/") / "action.yml").is_file()


def test_one_action_is_pinned_to_one_commit() -> None:
    """No two places use different commits of one action, or name one commit by different versions."""
    text = "".join(
        path.read_text(encoding="utf-8")
        for path in (*WORKFLOWS.glob("*.yml"), ACTION / "action.yml", CAMPAIGN)
    )
    pins = {
        (name, *pin)
        for name, *pin in re.findall(
            r"uses: ((?:actions|github)/[\w-]+)\S*@(\w+)  # (v[\d.]+)$", text, re.MULTILINE
        )
    }
    assert len({name for name, *_ in pins}) == len(pins) == 6


def test_updates_are_looked_for_where_pins_are() -> None:
    """Dependabot looks into the folder of each action and of the constraints."""
    updates = of_yaml(ROOT / ".github" / "dependabot.yml")["updates"]
    folders = [
        folder.strip("/")
        for update in updates
        for folder in update.get("directories", [update.get("directory")])
    ]
    assert folders == ["", str(ACTION.relative_to(ROOT)), ".ci"]


def test_scripts_of_the_action_can_be_run() -> None:
    """Each script that a step names is there and may be executed."""
    for line in (step["run"] for step in steps_of(JUDGE) if "run" in step):
        assert os.access(ACTION / line.strip('"').removeprefix("$GITHUB_ACTION_PATH/"), os.X_OK)


def test_workflow_passes_on_every_input() -> None:
    """The workflow gives the action inputs that it has; no input or secret of the workflow is unused."""
    given = next(step["with"] for step in steps_of(FILES["nightly.yml"]) if step.get("id") == "judge")
    assert set(given) <= set(JUDGE["inputs"])
    text = (WORKFLOWS / "nightly.yml").read_text(encoding="utf-8")
    for name in (
        *(f"inputs.{name}" for name in NIGHTLY["inputs"]),
        *(f"secrets.{name}" for name in NIGHTLY["secrets"]),
    ):
        assert f"${{{{ {name} }}}}" in text


def test_action_passes_on_every_input() -> None:
    """Each input of the action is used, each variable it sets is one that the script reads, and the script
    gives `run` no option that it does not have.
    """
    text, script = ((ACTION / name).read_text(encoding="utf-8") for name in ("action.yml", "judge.sh"))
    assert not [name for name in JUDGE["inputs"] if not re.search(rf"inputs\.{name}\b", text)]
    variables = next(step["env"] for step in steps_of(JUDGE) if step.get("id") == "judge")
    assert not [name for name in variables if f"${{{name}" not in script]
    given = " ".join(re.findall(r"words\+?=\(.*\)", script))
    known = re.findall(r"--[a-z-]+", command("run", "--help").output)
    assert {*re.findall(r"--[a-z-]+", given)} <= {*known}


def test_recipes_of_the_guide_fit() -> None:
    """The guide's workflow calls this one with inputs and secrets it has, and names files of a run."""
    recipes: list[Any] = [
        yaml.load(block, Loader=yaml.BaseLoader)
        for block in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL)
    ]
    jobs = {name: job for recipe in recipes for name, job in recipe.get("jobs", {}).items()}
    call = jobs["hub"]
    assert call["uses"].partition("/.github/")[2].partition("@")[0] == "workflows/nightly.yml"
    assert set(call["with"]) <= set(NIGHTLY["inputs"])
    assert set(call["secrets"]) <= set(NIGHTLY["secrets"])
    (job,) = (recipe["conformance"] for recipe in recipes if "conformance" in recipe)
    assert job["artifacts"]["reports"]["junit"] == "conformance-runs/hub/results/junit.xml"
    assert "suite/.github/actions/judge/judge.sh" in job["script"]
    assert jobs["page"]["needs"] == "hub"
    assert any("history.html" in step.get("run", "") for step in jobs["page"]["steps"])
    assert call["with"]["code-scanning"] == "true"
    assert call["permissions"]["security-events"] == "write"
    assert "permissions" not in FILES["nightly.yml"]  # it has those of its caller
    for used in (step["uses"] for job in jobs.values() for step in job.get("steps", ()) if "uses" in step):
        assert _PINNED.fullmatch(used)


def test_findings_are_uploaded_where_somebody_wants_that() -> None:
    """The action uploads the SARIF file of the run, if it is there, and only if it is asked to."""
    (step,) = (step for step in steps_of(JUDGE) if "upload-sarif" in step.get("uses", ""))
    assert step["with"]["sarif_file"].endswith(f"/{FORMATS['sarif']}")
    assert "inputs.code-scanning == 'true'" in step["if"]
    assert f"/{FORMATS['sarif']}" in step["if"]
    assert JUDGE["inputs"]["code-scanning"]["default"] == "false"


def test_suite_is_installed_from_its_own_commit(tmp_path: Path) -> None:
    """What is installed is the checkout the action comes from, with its pinned versions, and it is on the
    path of the next steps.
    """
    stub = tmp_path / "python3"
    stub.write_text(
        '#!/bin/sh\nmkdir -p "$3/bin"\nprintf \'#!/bin/sh\\necho "$@" >&2\' > "$3/bin/python"\nchmod +x'
        ' "$3/bin/python"\n'
    )
    stub.chmod(0o755)
    places = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_PATH": str(tmp_path / "path"),
    }
    ended = subprocess.run(
        [str(ACTION / "install.sh")], env=surroundings(places), capture_output=True, text=True, check=True
    )
    assert ended.stderr.split()[-3:] == ["--constraint", str(ROOT / ".ci" / "constraints.txt"), str(ROOT)]
    assert (tmp_path / "path").read_text() == f"{tmp_path}/appliance-conformance/bin\n"


# The recipes for contributors name every place: each is followed on a copy of the suite, and what it adds
# is planned, judged, killed and rendered there.
RECIPES = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
STEP = re.compile(r"^\d+\. `([\w/.]+)`(.*?)(?=^\d+\. |^[^ \n]|\Z)", re.DOTALL | re.MULTILINE)
BLOCK = re.compile(r"^ +```(\w+)\n(.*?)^ +```$", re.DOTALL | re.MULTILINE)
CHOSEN = (
    "NightMode and washer-1 or RANGE-ALARMCLOCK-MINUTE or SET-ANSWER and coffee-maker-1 or COOL-FRESH-CHILLER"
)
COMMANDS = (
    ("plan", "--level", "read", "--requests"),
    ("run", "--level", "write", "--out", "out", "--", "-k", CHOSEN),
    ("run", "mutant:example-lock-as-one", "--level", "read", "--out", "mutant", "--", "-k", "TYPE-BOOLEAN"),
    ("report", "mutant/results.json", "--format", "lines"),
    ("prove", "--only", "example-", "--workers", "1"),
)
"""What is asked of the copy, in one interpreter: each that starts anew imports everything again."""
IN_TURN = """
import json, sys
from click.testing import CliRunner
from conformance.commands import main

ended = [CliRunner().invoke(main, words) for words in json.loads(sys.argv[1])]
json.dump([(one.exit_code, one.output) for one in ended], open("ended.json", "w"))
"""


class Copy(NamedTuple):
    """A copy of the suite, and the exit code and the output of each of its commands."""

    root: Path
    plan: tuple[int, str]
    run: tuple[int, str]
    mutant: tuple[int, str]
    report: tuple[int, str]
    prove: tuple[int, str]


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """One without its tests, on which every step of every recipe was followed."""
    root = tmp_path_factory.mktemp("suite")
    for room in ("catalog", "conformance", "reports"):
        copytree(ROOT / room, root / room, ignore=ignore_patterns("selftest", "out", "__pycache__"))
    for file in ("conftest.py", "pyproject.toml"):
        copy(ROOT / file, root)
    for place, step in STEP.findall(RECIPES):
        for language, block in BLOCK.findall(step):
            follow(root / place, language, dedent(block))
    script = (sys.executable, "-P", "-c", IN_TURN, json.dumps(COMMANDS))
    ran = program(*script, directory=root, env={"PYTHONPATH": str(root)})
    assert ran.code == 0, ran.output
    return Copy(root, *(tuple(ended) for ended in json.loads((root / "ended.json").read_bytes())))


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


def test_key_is_planned(followed: Copy) -> None:
    """A run of the reference reads the key of the recipe."""
    assert "NightMode" in followed.plan[1]


def test_key_and_clauses_are_judged(followed: Copy) -> None:
    """The reference passes the clauses of the recipes, and all that the catalog says of the key."""
    assert followed.run[0] == 0, followed.run[1]
    cases = json.loads((followed.root / "out" / "results.json").read_bytes())["cases"]
    passed = {case["clause"] for case in cases if case["verdict"] == "pass"}
    wanted = {"READ-SETTING", "TYPE-BOOLEAN", "SET-WRITABLE", "RANGE-ALARMCLOCK-MINUTE", "SET-ANSWER"}
    assert {*wanted, "COOL-FRESH-CHILLER"} <= passed


def test_mutants_are_killed_and_the_variant_is_not(followed: Copy) -> None:
    """Each mutant of a recipe fails the clause that it names, and no other; the variant fails none, and the
    run of the unearned server is not green.
    """
    assert followed.prove[0] == 0, followed.prove[1]
    matrix = json.loads((followed.root / "reports" / "out" / "proof" / "kill-matrix.json").read_bytes())
    killed = {mutant["name"]: mutant["killed_by"] for mutant in matrix["mutants"]}
    assert killed == {
        "example-alarm-seconds": ["RANGE-ALARMCLOCK-MINUTE"],
        "example-write-200": ["SET-ANSWER"],
        "example-fresh-warms-the-chiller": ["COOL-FRESH-CHILLER"],
        "example-lock-as-one": ["TYPE-BOOLEAN"],
    }
    fails = {variant["name"]: variant["fails"] for variant in matrix["variants"]}
    assert fails == {
        "example-alarm-of-zero.L0": [],
        "example-alarm-of-zero.full": [],
        "example-quiet-at-night.full": [],
    }
    assert [(one["name"], one["ends"]) for one in matrix["unearned"]] == [("example-value-elsewhere", 3)]


def test_format_is_rendered(followed: Copy) -> None:
    """A run has the file of the format, and the command line gives the same: the finding of the mutant."""
    assert followed.mutant[0] == 1, followed.mutant[1]
    text = (followed.root / "mutant" / "failures.txt").read_text(encoding="utf-8")
    assert (followed.report, text.count("\n")) == ((0, text), 1)
    assert text.startswith("TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@")
