"""What the README says is true: its commands end as it says, its files exist."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines() if line.strip()]
LINKS = re.findall(r"\]\(([^)#:]+)\)", README)


@pytest.mark.parametrize("line", COMMANDS)
def test_command_ends_as_the_readme_says(line: str) -> None:
    """Each command that needs no network ends with 0, or with the code its comment names."""
    command, _, comment = line.partition("#")
    expected = int(found[0]) if (found := re.findall(r"\d+", comment)) else 0
    environment = {name: value for name, value in os.environ.items() if name not in {"MAKEFLAGS", "MAKELEVEL"}}
    ended = subprocess.run(["bash", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ended.returncode == expected, ended.stdout + ended.stderr


def test_readme_shows_commands() -> None:
    """The README has at least the first verdict, a mutant, the proof and an export to run."""
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("link", LINKS)
def test_link_leads_somewhere(link: str) -> None:
    """Each relative link of the README names a file of the project."""
    assert (ROOT / link).exists()
