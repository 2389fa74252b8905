"""The power of a profile: what a run with it would find of the known faults, what the others take, and that a
larger budget shows all that a smaller one does.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias, cast
from unittest.mock import Mock

import pytest

from catalog.model import Level
from conformance.mutants.model import Mutant
from conformance.mutants.registry import find_server, load_mutants
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import network_of
from conformance.proof.searching import MORE_REQUESTS, FaultSeen, Needed, Search, Whole, line_of
from conformance.proof.trials import PREFIX, Trial, usual_trials
from conformance.records.known_faults import FoundFaults, MissedFaults, RunPower
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.runs import known_power as knowing
from conformance.runs import session as sessions
from conformance.runs.known_power import keep_power, known_power
from conformance.runs.session import Session
from conformance.selftest.support.commands import command
from conformance.selftest.support.judged_runs import judge_all
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.rows import drawn
from reports.kills import PUBLISHED

LEVELS: dict[str, Level] = {
    "unit-seconds-minutes": "read",
    "enum-advertised-nonce": "read",
    "map-names-shared": "write",
    "battery-written-as-a-setting": "write",
}
"""Some mutants, with the level of the run that looks for them."""
MUTANTS = {mutant.name: mutant for mutant in load_mutants()}
APPLIANCES = ("coffee-maker-1", "oven-1", "robot-2")
ANY = Whole(100, 100, None)
UNNEEDED = {"target", "ha_id", "kind", "pace", "timing", "method", "path", "body", "items"}
"""What is no line of its own, and what says how fast, not what is known."""
Place: TypeAlias = tuple[str | int, ...]
SEEN: dict[str, dict[bytes, FaultSeen]] = defaultdict(dict)
"""What trials of each mutant have seen, so that none is made twice."""


def data() -> dict[str, Any]:
    """A profile that says everything about three appliances, which have the keys of the mutants."""
    whole: dict[str, Any] = truthful_profile(Service(), "http://127.0.0.1:9")
    return {
        **whole,
        "pace": {},
        "appliance": [one for one in whole["appliance"] if one["ha_id"] in APPLIANCES],
    }


def lines_of(told: Any, place: Place = ()) -> Iterator[Place]:
    """The places of what may be taken out of a profile: of each field that is no item of a list."""
    tables = cast("Any", told.items() if isinstance(told, dict) else enumerate(cast("list[Any]", told)))
    for name, member in cast("Iterator[tuple[str | int, Any]]", tables):
        if name in UNNEEDED:
            continue
        if isinstance(name, str):
            yield (*place, name)
        if isinstance(member, dict) or (place == () and name == "appliance"):
            yield from lines_of(member, (*place, name))


def without(told: dict[str, Any], place: Place) -> dict[str, Any]:
    """A profile without the line at a place."""
    shorter = deepcopy(told)
    table: Any = shorter
    for name in place[:-1]:
        table = table[name]
    del table[place[-1]]
    return shorter


def search(name: str, told: dict[str, Any], level: Level) -> Search:
    """Looks for what it takes to find a mutant with a profile."""
    return Search(MUTANTS[name], build_profile(told), level, SEEN[name])


def mutants_found(told: dict[str, Any]) -> set[str]:
    """The mutants that a run finds with a profile."""
    return {name for name, level in LEVELS.items() if search(name, told, level).finds()}


def test_whole_profile_finds_what_the_proof_finds() -> None:
    """With all there is to say, the power is what `prove` has found on the same mutants."""
    published = json.loads(PUBLISHED.read_bytes())["mutants"]
    killed = {row["name"] for row in published if not row["survived"]}
    assert mutants_found(data()) == LEVELS.keys() <= killed


def test_no_line_taken_out_gains_power() -> None:
    """Without any one line of a profile a run finds no fault that it did not find with it, and some fewer."""
    everything, told = mutants_found(data()), data()
    robot = APPLIANCES.index("robot-2")
    map_name = ("appliance", robot, "samples", "map_name")
    losing: list[Place] = [("answer", "unit"), ("answer", "allowed"), ("write", "status_path"), ("write",)]
    losing.append(map_name)
    others = [place for place in lines_of(told) if place not in [*losing, ("appliance",)]]
    less = {place: mutants_found(without(told, place)) for place in [*losing, *drawn(others, 6)]}
    assert {place: names - everything for place, names in less.items() if names - everything} == {}
    lost = {place: everything - names for place, names in less.items() if everything - names}
    assert lost["answer", "unit"] == {"unit-seconds-minutes"}
    assert lost["answer", "allowed"] == {"enum-advertised-nonce"}
    assert lost["write", "status_path"] == {"battery-written-as-a-setting"}
    assert lost[("write",)] == {"map-names-shared", "battery-written-as-a-setting"}
    assert lost[map_name] == {"map-names-shared"}


@pytest.mark.parametrize(
    ("name", "level", "left_out", "needs"),
    [
        ("enum-advertised-nonce", "read", (), ()),
        ("unit-seconds-minutes", "read", ("answer", "unit"), ("answer.unit",)),
        ("cup-warmer-refused", "read", (), ("--level write",)),
        ("cup-warmer-refused", "read", ("write",), ("--level write", "write")),
        ("cup-warmer-refused", "write", ("write", "allow"), ("write.allow",)),
        ("map-names-shared", "write", ("appliance", 2, "samples"), ("appliance.samples.map_name",)),
        ("off-refused-after-two-rests", "write", (), None),
    ],
)
def test_what_a_fault_needs_is_seen(
    name: str, level: Level, left_out: Place, needs: tuple[str, ...] | None
) -> None:
    """What would find a fault is the very thing that the profile was given before, or a higher level.

    A fault of an appliance that the profile does not have is none that a run could find.
    """
    told = without(data(), left_out) if left_out else data()
    tried = search(name, told, level).tried(ANY)
    assert (tried and tried.needs) == needs


@pytest.mark.parametrize(
    ("case", "needs"),
    [
        ("UNIT-*::*@oven-1", ("waiver",)),
        ("*AlarmClock*", ("waiver",)),
        ("UNIT-*@robot-2", ()),
        ("SET-*", ()),
    ],
)
def test_fault_that_is_waived_is_not_found(case: str, needs: tuple[str, ...]) -> None:
    """A run that a waiver keeps from ending otherwise has not found it; of other cases it says nothing."""
    waiver = {"case": case, "reason": "known", "owner": "me", "expires": "2031-01-31"}
    tried = search("unit-seconds-minutes", {**data(), "waiver": [waiver]}, "read").tried(ANY)
    assert (tried and tried.needs) == needs


def test_requests_of_a_day_bound_what_is_found() -> None:
    """What a trial finds late is found late in the run: with so many requests a day, not with one fewer."""
    of_all = search("unit-seconds-minutes", data(), "read")
    tried = of_all.tried(ANY)
    assert tried
    enough, few = (of_all.tried(Whole(100, 100, tried.after - missing)) for missing in (0, 1))
    assert (enough, few) == (tried, Needed((MORE_REQUESTS,), tried.after))


@pytest.mark.parametrize(
    ("field", "line"),
    [
        ("--level power", "--level power"),
        ("waiver", "without [[waiver]]"),
        ("answer.unit", '[answer] unit = "/data/unit"'),
        ("write", "[write]"),
        ("appliance.writable", '[[appliance]] writable = ["*"]'),
        ("pace.max_refusals_in_a_row", "[pace] without max_refusals_in_a_row"),
    ],
)
def test_field_is_given_by_a_line(field: str, line: str) -> None:
    """What a user would write is a line of a profile, or an option."""
    assert line_of(field) == line


POWER = RunPower(
    "read",
    FoundFaults(361, 431, 900),
    (MissedFaults(("answer.unit",), ('[answer] unit = "/data/unit"',), 70, "The unit is wrong."),),
)


def test_power_is_known_of_one_profile_and_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds whatever the target is called, and of no other level, profile, waiver or suite."""
    told = data()
    waiver = {"case": "UNIT-*", "reason": "known", "owner": "me", "expires": "2031-01-31"}
    keep_power(tmp_path, build_profile(told), POWER)
    assert (
        known_power(tmp_path, build_profile({**told, "target": {**told["target"], "name": "x"}}), "read")
        == POWER
    )
    assert known_power(tmp_path, build_profile(without(told, ("answer", "unit"))), "read") is None
    assert known_power(tmp_path, build_profile({**told, "waiver": [waiver]}), "read") is None
    assert known_power(tmp_path, build_profile(told), "write") is None
    monkeypatch.setattr(knowing, "suite_digest", lambda: "another")
    assert known_power(tmp_path, build_profile(told), "read") is None


def test_plan_and_prove_say_what_is_known(tmp_path: Path) -> None:
    """Before a power is known `plan` names the command that finds it; then both say it, and judge nothing."""
    file, state = tmp_path / "hub.toml", ("--state", str(tmp_path / "state"))
    file.write_text(toml_of(data()), encoding="utf-8")
    planned = command("plan", str(file), *state).output
    assert (
        f"power        not known: appliance-conformance prove --like {file} --level read says it" in planned
    )
    keep_power(tmp_path / "state", build_profile(data()), POWER)
    assert (
        "power        84 %: would have found 361 of 431 known faults"
        in command("plan", str(file), *state).output
    )
    proved = command("prove", "--like", str(file), *state)
    assert proved.code == 0
    assert proved.output == (
        "with this profile, at level read, within the 900 requests of a day: 361 of the 431 known faults of"
        " your appliances would be found (84 %)\n\n"
        "not found: 70 need answer.unit\n"
        '  [answer] unit = "/data/unit"\n'
        "  such as: The unit is wrong.\n"
    )


def test_run_names_the_power_that_is_known(tmp_path: Path) -> None:
    """Without one the report names the command that finds it; then all files of a run say it."""
    service, state, file = find_server("off-means-standby")(), tmp_path / "state", tmp_path / "hub.toml"
    with served(service, file) as told:
        words = (str(file), "--state", str(state), "--certify")
        before = (command("run", *words, directory=tmp_path).out / "report.html").read_text("utf-8")
        keep_power(state, build_profile(told), POWER)
        ran = command("run", *words, directory=tmp_path)
    assert ran.code == 0, ran.output
    assert f"prove --like {file.name} --level read" in before
    assert "power 84 %: would have found 361 of 431 known faults" in ran.output
    certified = json.loads((ran.out / "certificate.json").read_bytes())["power"]
    assert ran.results["power"]["faults"] == certified == {"found": 361, "known": 431, "within": 900}


# A larger budget shows all that a smaller one does: what is cut off is what tells least.
FIELDS = ("generated", "generated_reads", "generated_writes")
"""The budgets of [pace]."""
CUTS = (1, 3, 6, 12, 20, 30, 45, 60, 100, 200)


def budgets_of(mutant: Mutant) -> dict[str, int]:
    """The budgets without which nothing shows a mutant."""
    declared: Any = mutant.service.profile_extras.get("pace", {})
    return {name: declared[name] for name in FIELDS if declared.get(name)}


GENERATED = {name: mutant for name, mutant in MUTANTS.items() if budgets_of(mutant)}
OF_EACH = [
    name
    for field in FIELDS
    for name in drawn([one for one in GENERATED if field in budgets_of(GENERATED[one])], 1)
]
"""One for each budget."""


def is_killed(mutant: Mutant, trial: Trial, most: int, out: Path) -> bool:
    """Whether the clause of a mutant fails where no more than so much is generated, asked for it alone."""
    service = trial.server()
    told: dict[str, Any] = trial.profile(service)
    told["pace"] = {**told["pace"], **dict.fromkeys(budgets_of(mutant), most)}
    session = Session(build_profile(told), out, trial.level, network=network_of({PREFIX: service}))
    with closing(session):
        judged = judge_all(session, {mutant.clause})
        session.finish()
    return any(one.verdict == "fail" for one in judged.values())


@pytest.mark.parametrize("name", sorted({"head-counts", *OF_EACH}))
def test_kills_never_fall_as_the_budget_grows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut at several places: what shows a mutant with few requests is made with more of them as well."""
    monkeypatch.setattr(sessions, "nonces_of", Mock(return_value="one seed"))
    mutant, trial = GENERATED[name], usual_trials()[name]
    killed = [is_killed(mutant, trial, most, tmp_path / str(most)) for most in CUTS]
    assert [one <= other for one, other in pairwise(killed)] == [True] * (len(CUTS) - 1), killed
    assert killed[CUTS.index(60)]
