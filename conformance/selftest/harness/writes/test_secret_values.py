"""A value in which a secret stands is written nowhere: nobody could put it back as it was."""

from pathlib import Path

import pytest

from catalog.keys import MAP_NAME_1
from conformance.mutants.fleets import ROBOT_MAPS
from conformance.reference.service import Service
from conformance.selftest.support.judged_runs import run_of

TOKEN = "Wq7-token-of-the-hub"
AUTH = {"headers": {"Authorization": "Bearer ${HUB_TOKEN}"}}


class NamedAfterTheToken(Service):
    """A robot of which somebody has called a map by the token of the hub."""

    fleet = (ROBOT_MAPS.having({MAP_NAME_1: f"Room {TOKEN}"}),)


@pytest.mark.parametrize("pace", [{"generated_writes": 0, "generated": 0}, {"generated_writes": 8}])
def test_value_that_holds_a_secret_is_not_written(
    pace: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cases say why, and its neighbour is judged as ever."""
    monkeypatch.setenv("HUB_TOKEN", TOKEN)
    service = NamedAfterTheToken()
    ran = run_of(service, tmp_path, "write", {"auth": AUTH, "pace": pace}, still=False)
    assert (service.settings(), ran.left) == (NamedAfterTheToken().settings(), [])
    assert [line for line in ran.journal if line.get("key") == MAP_NAME_1] == []
    said = {name: found for name, found in ran.verdicts.items() if name.startswith("SET-WRITABLE")}
    ((verdict, message),) = (found for name, found in said.items() if "NameOfMap1" in name)
    assert (verdict, "its value holds a secret" in message) == ("inconclusive", True)
    assert next(found[0] for name, found in said.items() if "NameOfMap2" in name) == "pass"
