"""Beside a finding of a read stands what a conforming server answers, in the shape of the profile."""

import json
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import CATALOG
from conformance.mutants.registry import find_server
from conformance.proof.outcomes import judged_in
from conformance.records.results import CaseResult
from conformance.runs.good_answers import good_answer, good_members
from conformance.selftest.support.judged_runs import session_of

SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
LOCK = "Vendor.Common.Setting.ChildLock"
OPERATION = "Vendor.Common.Status.OperationState"


def found(name: str, out: Path) -> CaseResult:
    """The first failed case of a run that reads a mutant."""
    with session_of(find_server(name)(), out) as session:
        return next(iter(judged_in(session).of("fail")))


@pytest.mark.parametrize(
    ("clause", "places", "body"),
    [
        ("TYPE-DOUBLE", {"value": "/data/value"}, {"data": {"value": 4}}),
        ("TYPE-DOUBLE", {"value": "/value", "min": "/lo"}, {"value": 4}),
        (
            "RANGE-PERAPP-VALUE",
            {"value": "/data/0/value", "min": "/data/0/own/lo", "max": "/data/0/own/hi"},
            {"data": [{"value": 4, "own": {"lo": 2, "hi": 8}}]},
        ),
        ("TYPE-DOUBLE", {"value": ""}, 4),
        ("TYPE-DOUBLE", {"value": "/a~1b"}, {"a/b": 4}),
    ],
)
def test_body_has_the_shape_of_the_profile(clause: str, places: dict[str, str], body: Any) -> None:
    """Each member stands where the profile says; only those are shown that the clause is about."""
    members = good_members("Refrigerator", SETPOINT, "settings", "Vendor")
    assert json.loads(good_answer(CATALOG.clauses[clause], members, places)) == body


def test_keys_and_values_have_the_makers_name() -> None:
    """What a server of another maker shows begins with that name."""
    members = good_members("Oven", OPERATION, "status", "Acme")
    assert members["key"] == OPERATION.replace("Vendor", "Acme")
    assert str(members["value"]).startswith("Acme.Common.EnumType.OperationState.")


def test_nothing_is_shown_where_nobody_knows() -> None:
    """No place of the value, or a path at which a conforming server refuses: then there is no body."""
    clause = CATALOG.clauses["TYPE-BOOLEAN"]
    assert good_answer(clause, good_members("Oven", LOCK, "settings", "Vendor"), {"min": "/min"}) == ""
    assert good_members("Oven", LOCK, "status", "Vendor") == {}


@pytest.mark.parametrize("name", ["lost-as-text-under-status", "setting-refused-in-band"])
def test_finding_of_a_read_has_one(tmp_path: Path, name: str) -> None:
    """The body is that of the request that shows the finding."""
    body = json.loads(found(name, tmp_path).good)
    assert body["data"]["value"] is False
