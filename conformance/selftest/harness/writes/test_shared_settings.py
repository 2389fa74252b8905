"""Appliances that share a setting are seen to do so, and are in each other's way no longer."""

from __future__ import annotations

from pathlib import Path

from catalog.keys import VACATION_MODE
from conformance.mutants.registry import find_server
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.servers.bench import values_of


def test_what_appliances_did_to_each_other_is_made_again(tmp_path: Path) -> None:
    """Modes are compared last; what was written side by side until then is written again, in turn."""
    service = find_server("one-vacation-a-household")()
    before = values_of(service)
    run = run_of(service, tmp_path, "write", clauses={"ADDR-HAID-ISOLATION", "SET-WRITABLE"})
    lanes = [line["lane"] for line in run.requests(f"set/{VACATION_MODE}/in-turn")]
    assert list(dict.fromkeys(lanes)) == ["fridge-1", "fridge-3"]
    assert lanes == sorted(lanes)
    assert (run.red(), values_of(service)) == ({"ADDR-HAID-ISOLATION"}, before)
