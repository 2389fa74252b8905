"""The room of hostile servers as a whole: named, told, declared, and reached from the command line."""

import re
from itertools import chain

from conformance.mutants.hostile.servers import BY_NAME, HOSTILE
from conformance.runs.targets import open_target, profile_of
from conformance.selftest.support.commanding import ROOT, said


def test_every_server_has_a_name_of_its_own() -> None:
    """No two are called the same, and there are at least sixty."""
    assert len(BY_NAME) == len(HOSTILE) >= 60


def test_every_server_says_how_it_harms() -> None:
    """In a sentence, which ends like one."""
    assert not [hostile.name for hostile in HOSTILE if not hostile.harm.endswith(".")]


def test_a_hostile_server_is_a_target() -> None:
    """Its profile can be had with and without starting it."""
    with open_target("hostile:silent") as profile:
        assert profile.target.name == profile_of("hostile:silent").target.name == "silent"


def test_a_name_that_no_server_has_is_wrong_usage() -> None:
    """The nearest name is told."""
    result = said("plan", "hostile:gzip-bom")
    assert result.exit_code == 2
    assert "hostile:gzip-bomb" in result.output


def test_every_promise_names_a_test_that_is_there() -> None:
    """Each row of the table of promises in SECURITY.md ends with modules of the tests."""
    text = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    promises = text.partition("| promise |")[2].partition("\n\n")[0]
    rows = promises.splitlines()[2:]
    assert rows
    kept = [re.findall(r"`([\w/]+/test_\w+\.py)`", row.rstrip(" |").rpartition("|")[2]) for row in rows]
    assert all(kept)
    assert all((ROOT / "conformance" / "selftest" / name).is_file() for name in chain.from_iterable(kept))
