"""Every command explains itself at once, whatever else is installed."""

import re
import sys
from pathlib import Path

import pytest

from conformance.commands import main
from conformance.runs.identity import suite_version
from conformance.selftest.support.commanding import SCRIPT, finished, said

COMMANDS = main.list_commands(None)  # pyright: ignore[reportArgumentType]  the list needs no context
DEAR = {"pytest", "pydantic", "httpx", "hypothesis", "schemathesis", "starlette", "jinja2", "rich", "tomlkit"}
ASK = f"""
import sys
from conformance.commands import main
try:
    main(sys.argv[1:])
finally:
    print("imported", sorted({DEAR} & set(sys.modules)))
"""


@pytest.mark.parametrize("command", COMMANDS)
def test_help_imports_nothing_dear(command: str, tmp_path: Path) -> None:
    """--help ends with 0 and has imported neither pytest nor pydantic nor httpx."""
    ran = finished([sys.executable, "-P", "-c", ASK, command, "--help"], tmp_path)
    assert ran.code == 0
    assert ran.output.endswith("imported []\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_the_command_does(command: str) -> None:
    """The help has a sentence, and the list of commands has one as well."""
    assert "Options:" in said(command, "--help").output
    line = next(line for line in said("--help").output.splitlines() if line.startswith(f"  {command} "))
    assert line.endswith((".", "?"))


def test_module_is_the_script(tmp_path: Path) -> None:
    """`python -m conformance` and the script say the same."""
    module = finished([sys.executable, "-P", "-m", "conformance", "--help"], tmp_path)
    script = finished([SCRIPT, "--help"], tmp_path)
    assert (module.code, script.code) == (0, 0)
    assert module.output.replace("python -m conformance", "appliance-conformance") == script.output


def test_version_is_that_of_the_distribution() -> None:
    """--version names the suite and its version."""
    assert said("--version").output == f"appliance-conformance, version {suite_version()}\n"


def test_help_names_the_exit_codes() -> None:
    """The overview lists what run ends with."""
    named = re.findall(r"\b(\d)\s+[a-z]", said("--help").output.partition("Exit codes")[2])
    assert named == ["0", "1", "2", "3", "4", "5"]


def test_unknown_command_is_wrong_usage() -> None:
    """A command that does not exist ends with 2."""
    assert said("jugde").exit_code == 2
