"""A mistake of the profile is found and named; a fault of the target is never talked away."""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.model import Level
from conformance.cases import CATALOG
from conformance.mutants import fleets
from conformance.mutants.registry import find_server
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.records.results import Results
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session
from conformance.suspects.search import suspects_of
from reports.suspected import suspected_at_length, suspected_in_lines


class Fridge(Service):
    """A refrigerator without a fault."""

    fleet = (fleets.FRIDGE,)


def searched(service: Service, out: Path, mistake: Mapping[str, object], level: Level = "read") -> Results:
    """A run with a profile that is right but for the mistake, and its suspects."""
    data = laid_over(truthful_profile(service, BASE_URL), mistake)
    network = network_of({"": service})
    with closing(Session(build_profile(data, CATALOG), out, level, network=network)) as session:
        results = judged_in(session)
        return replace(results, suspects=suspects_of(session.contents, results))


@pytest.mark.parametrize(
    ("table", "wrong", "toml"),
    [
        ("answer", {"value": "/data/key"}, 'value = "/data/value"'),
        ("answer", {"value": "/value"}, 'value = "/data/value"'),
        ("answer", {"key": "/data/description"}, 'key = "/data/key"'),
        ("answer", {"min": "/data/constraints/max"}, 'min = "/data/constraints/min"'),
        ("answer", {"max": "/data/constraints/stepsize"}, 'max = "/data/constraints/max"'),
        ("answer", {"allowed": "/data/type"}, 'allowed = "/data/constraints/allowedvalues"'),
        ("target", {"vendor": "Acme"}, 'vendor = "Vendor"'),
        ("target", {"vendor": "vendor"}, 'vendor = "Vendor"'),
        ("http", {"success": "201-299"}, "success left out"),
        ("http", {"unreachable": [{"status": 409}]}, "unreachable left out"),
    ],
)
def test_mistake_is_the_first_suspect(
    tmp_path: Path, table: str, wrong: Mapping[str, object], toml: str
) -> None:
    """The line that is wrong is named, as it should be; the verdict stays."""
    results = searched(Fridge(), tmp_path, {table: wrong})
    assert results.suspects
    assert results.suspects[0].toml == toml
    assert toml in suspected_in_lines(results)[0]


def test_nothing_is_suspected_where_nothing_is_wrong(tmp_path: Path) -> None:
    """A truthful profile of a server without a fault is in no doubt."""
    results = searched(Fridge(), tmp_path, {})
    assert results.suspects == ()
    assert suspected_in_lines(results) == []


@pytest.mark.parametrize("name", ["lost-as-text-under-status", "every-second-refused"])
def test_fault_is_not_talked_away(tmp_path: Path, name: str) -> None:
    """Where the target is wrong, no edit explains it, and that is said."""
    service = find_server(name)()
    results = searched(service, tmp_path, {})
    assert results.verdict == "fail"
    assert not any(one.explains for one in results.suspects or ())
    assert suspected_in_lines(results)[-1].endswith("whatever was tried in the profile")


@pytest.mark.parametrize(
    ("claim", "field", "toml"),
    [
        (keys.ALARM_CLOCK, "supports", f"supports without {keys.ALARM_CLOCK}"),
        ("*.AlarmClock", "lacks", f'lacks = ["{keys.ALARM_CLOCK}"]'),
    ],
)
def test_claim_that_may_be_wrong_is_only_possible(tmp_path: Path, claim: str, field: str, toml: str) -> None:
    """A key that is claimed, also by a glob, and refused as unknown: claim or target may be wrong."""

    class Oven(Service):
        fleet = (fleets.TIMED_OVEN.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.DOOR_STATE),)

    data: dict[str, Any] = truthful_profile(Oven(), BASE_URL)
    (table,) = data["appliance"]
    claiming: dict[str, object] = {**table, "supports": [*table["supports"], claim], "lacks": []}
    results = searched(Oven(), tmp_path, {"appliance": [claiming]})
    assert results.suspects
    (suspect,) = results.suspects
    assert (suspect.field, suspect.explains) == (f"appliance.{field}", ())
    assert suspect.perhaps
    assert suspect.toml == toml
    assert "or the profile is wrong there" in suspected_in_lines(results)[0]


@pytest.mark.parametrize(
    ("claim", "toml"),
    [
        (keys.CUP_WARMER, f"writable without {keys.CUP_WARMER}"),
        ("*", f'writable = ["{keys.LIQUID_UNIT}", "{keys.CHILD_LOCK}"]'),
    ],
)
def test_setting_that_takes_no_write_may_not_be_writable(tmp_path: Path, claim: str, toml: str) -> None:
    """A setting that is claimed, also by a glob, and takes no write: claim or target may be wrong."""
    service = find_server("cup-warmer-refused")()
    data: dict[str, Any] = truthful_profile(service, BASE_URL)
    (table,) = data["appliance"]
    mistake: dict[str, object] = {
        "answer": {"access": "/data/nowhere"},
        "appliance": [{**table, "writable": [claim]}],
    }
    results = searched(service, tmp_path, mistake, "write")
    assert [one.toml for one in results.suspects or ()] == [toml]


def test_two_mistakes_are_found_together(tmp_path: Path) -> None:
    """What the first edit does not explain, a second one does, once the first is made."""
    wrong = {"answer": {"key": "/data/description", "min": "/data/constraints/max"}}
    results = searched(Fridge(), tmp_path, wrong)
    assert {one.field for one in results.suspects or ()} == {"answer.key", "answer.min"}
    assert "stands" not in "".join(suspected_at_length(results))
