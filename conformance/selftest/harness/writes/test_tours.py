"""Tours hold every short order of writes, what one contradicts is made again; and what writing costs."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from pydantic import JsonValue

from catalog.keys import CHILD_LOCK, ECO_MODE, INTERNAL_BRIGHTNESS, INTERNAL_LIGHT, ON, POWER_STATE, SETPOINT
from catalog.model import Level
from conformance.cases import CATALOG, all_cases
from conformance.checks.groups import AMBIENT_ORDERS, COOLING_ORDERS, HOOD_ORDERS, POWER_ORDERS, Group
from conformance.harness.writes.player import Player
from conformance.harness.writes.procedures.scripts import Played
from conformance.harness.writes.rehearsal import rehearse
from conformance.harness.writes.tours.letters import TOURS
from conformance.model.state_table import is_setpoint
from conformance.mutants.fleets import FRIDGE_SUPER, THREE_STATES
from conformance.mutants.registry import find_server, load_mutants
from conformance.profiles.validation import build_profile
from conformance.reference.appliance import Appliance
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import STILL, run_of
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.handmade import (
    fleet_of_hoods,
    profile_of,
    write_table,
)
from conformance.selftest.support.servers.recording import values_of

SERVICES = {record.name: record for record in load_mutants()}
_POWER = {"O": "FS", "F": "O", "S": "OF"}
"""What may be written in each power state (lines 129 to 133)."""
_COLORS = "Cpq"
_OF_POWER = {"PWR-NO-FOREIGN", "PWR-ON-OFF"}


def orders(home: str, following: Callable[[str, str], Iterable[str]], longest: int) -> Iterator[str]:
    """Every order of up to so many writes from a state; `following` is told the state and the order."""
    made = [("", home)]
    for _ in range(longest):
        made = [
            (order + one, one if one.isupper() or one in _COLORS else state)
            for order, state in made
            for one in following(state, order)
        ]
        yield from (order for order, _ in made)


def colored(subjects: str) -> Callable[[str, str], Iterable[str]]:
    """What may be written under a colour: another one, of two presets the first one first, and subjects."""
    return lambda state, order: (
        one for one in _COLORS + subjects if one != state and (one != "q" or "p" in order)
    )


def made_in(tour: str, home: str, longest: int, states: str) -> set[str]:
    """The orders of a tour that begin in a state; which of two presets came first is left out."""
    found: set[str] = set()
    state = ""
    for place, letter in enumerate(tour):
        if state == home:
            for end in range(place + 1, place + longest + 1):
                order = tour[place:end]
                first = next((one for one in order if one in "pq"), "p")
                found.add(order.translate(str.maketrans("pq", "qp")) if first == "q" else order)
        state = letter if letter in states else state
    return found


def test_power_tour_holds_every_order_of_five() -> None:
    """From On every order of up to five power states is written, and nothing that the table does not list."""
    tour = TOURS[POWER_ORDERS]
    wanted = {*orders("O", lambda state, _: _POWER[state], 5)}
    assert wanted <= made_in(tour, "O", 5, "OFS")
    assert all(after in _POWER[before] for before, after in pairwise(tour))


@pytest.mark.parametrize(("group", "subjects", "longest"), [(AMBIENT_ORDERS, "bx", 3), (HOOD_ORDERS, "b", 4)])
def test_light_tours_hold_every_short_order(group: Group, subjects: str, longest: int) -> None:
    """From CustomColor every order is made that ends with a setting, of four where two presets begin."""
    made = made_in(TOURS[group], "C", 4, _COLORS)
    every = orders("C", colored(subjects), 4)
    wanted = {one for one in every if len(one) <= longest or one.startswith("pq")}
    assert {one for one in wanted if one[-1] in subjects} <= made


def test_cooling_tour_holds_every_pair_of_modes() -> None:
    """Each mode goes on and off while each other one alone is on, and on anew after a write of a setpoint."""
    on: set[str] = set()
    beside: set[tuple[str, str, bool]] = set()
    written: set[str] = set()
    begun_anew: set[str] = set()
    for letter in TOURS[COOLING_ORDERS]:
        if letter == "t":
            written = on if len(on) == 1 else set()
            continue
        if letter not in on and letter in written:
            begun_anew.add(letter)
        if len(on | {letter}) == 2:
            (other,) = on - {letter}
            beside.add((letter, other, letter in on))
        on = on ^ {letter}
    assert beside == {
        (one, other, is_on) for one, other in permutations("vfzr", 2) for is_on in (False, True)
    }
    assert begun_anew == {*"vfzr"}
    assert on == set()


def run_of_mutant(name: str, out: Path, generated: int, clauses: Collection[str] = ()) -> Ran:
    """A run at level power against a mutant, of the clauses that it breaks; everything is put back."""
    mutant = SERVICES[name]
    service = mutant.service()
    before = values_of(service)
    pace = {"pace": STILL | {"generated": generated}}
    run = run_of(service, out, "power", pace, clauses=clauses or {mutant.clause, *mutant.partners})
    assert (values_of(service), run.left, run.errors()) == (before, [], set())
    return run


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("second-switching-on-strays", 4),
        ("two-presets-unlock-brightness", 4),
        ("vacation-outlives-fresh", 3),
    ],
)
def test_what_a_tour_contradicts_is_made_twice_more(name: str, length: int, tmp_path: Path) -> None:
    """As many requests as of a target elsewhere find it; the last writes are made again, and judged."""
    run, clause = run_of_mutant(name, tmp_path, 60), SERVICES[name].clause
    (failing,) = (one for one in run.cases.values() if one.case.clause.id == clause)
    writes = run.writes("orders/")
    assert (failing.verdict, len(writes), writes[:length]) == ("fail", 2 * length, writes[length:])
    of_tour, of_orders = ({line["n"] for line in run.requests(group)} for group in ("tour/", "orders/"))
    assert of_tour
    assert not of_tour & {number for case in run.cases.values() for number in case.evidence}
    assert of_orders & {*failing.evidence}
    assert failing.message.partition(",")[0].startswith("wrote ")


def test_fault_that_does_not_come_again_is_none(tmp_path: Path) -> None:
    """What one write showed, and none of those made again, convicts nobody."""
    name = "off-rests-after-off-from-standby"  # the first Off of the tour completes the order of the walk
    run = run_of_mutant(name, tmp_path, 20)
    assert len(run.writes("orders/")) == 4
    assert {verdict for verdict, _ in run.verdicts.values()} == {"pass"}


@pytest.mark.parametrize(("generated", "writes"), [(0, 0), (20, 6), (60, 19)])
def test_tour_keeps_to_its_requests(generated: int, writes: int, tmp_path: Path) -> None:
    """Where effects come at once, no more requests are sent than the profile allows, and a plan counts them.

    What comes first is known, and two reads follow each write; putting back is counted by nobody.
    """
    service = type("Three", (Service,), {"fleet": (THREE_STATES,)})()
    run = run_of(service, tmp_path, "power", {"pace": STILL | {"generated": generated}}, clauses=_OF_POWER)
    assert len(run.writes("tour/")) == writes
    requests, without = (planned(service, {"generated": most}) for most in (generated, 0))
    assert requests - without == 3 * writes <= generated


class SetpointsComeLate(Service):
    """A setpoint takes longer to show what was written than a mode takes to switch."""

    fleet = (FRIDGE_SUPER,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        effect, seconds = super().apply, 0.12 if is_setpoint(key) else 0.03
        self.timers.arm((appliance.ha_id, key), seconds, lambda: effect(appliance, key, value))


def test_what_an_earlier_write_brings_late_contradicts_no_clause(tmp_path: Path) -> None:
    """A setpoint that moves while a super mode is on, since it was written to before."""
    tables = {
        "pace": STILL | {"generated": 150},
        "timing": {"settle_s": 0.3, "power_settle_s": 0.3, "poll_s": 0.02},
    }
    clauses = {"COOL-SUPER-FRIDGE", "COOL-SUPER-FREEZER"}
    run = run_of(SetpointsComeLate(), tmp_path, "power", tables, clauses=clauses)
    assert run.red() == set()
    assert run.writes("tour/")
    assert not run.requests("orders/")


def test_what_was_locked_is_waited_for_when_it_is_free(tmp_path: Path) -> None:
    """Of lights whose effects come late: what a colour locks has none, and is no sign of one that comes."""
    run = run_of(
        find_server("effects-late-and-uneven")(), tmp_path, "power", {"pace": STILL | {"generated": 300}}
    )
    assert (run.red(), run.requests("orders/"), bool(run.writes("tour/"))) == (set(), [], True)


def planned(service: Service, pace: dict[str, int]) -> int:
    """How many requests a plan counts for the appliances of a service."""
    truth = truthful_profile(service, "http://127.0.0.1:1") | {"pace": STILL | pace}
    profile = build_profile(truth, CATALOG)
    cases = [case for case in all_cases(profile, "power") if case.clause.id in _OF_POWER]
    return sum(cost.requests for cost in rehearse(cases, profile, CATALOG, "power").values())


# What writing would cost is counted by running its procedures against a stand-in.
def test_an_appliance_called_like_a_missing_kind_is_counted() -> None:
    """A haId that begins with `no-` is a haId: its tours are counted like those of others."""
    counts: list[object] = []
    for ha_id in ("no-frost", "one"):
        profile = profile_of(appliance={"ha_id": ha_id}, write=write_table("*"))
        costs = rehearse(all_cases(profile), profile, CATALOG, "power")
        counts.append([cost.writes for cost in costs.values()])
    assert counts[0] == counts[1] != []


def test_appliances_alike_are_rehearsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the profile says the same of costs the same: a plan for many takes no more than one for a few."""
    played: list[Player] = []
    play = Player.play

    def counted(player: Player, scripts: Sequence[Played]) -> None:
        played.append(player)
        play(player, scripts)

    monkeypatch.setattr(Player, "play", counted)
    counts: list[int] = []
    for number in (4, 16):
        profile = fleet_of_hoods(number)
        costs = rehearse(all_cases(profile), profile, CATALOG, "write").values()
        assert (len(costs), len({cost.requests for cost in costs})) == (number, 1)
        counts.append(len(played))
    assert counts[1] == 2 * counts[0]


@pytest.mark.parametrize(
    ("level", "named", "prepared"),
    [
        ("write", (), {ECO_MODE: False, INTERNAL_LIGHT: True}),
        ("write", (CHILD_LOCK,), {ECO_MODE: False, INTERNAL_LIGHT: True, CHILD_LOCK: False}),
        ("power", (), {ECO_MODE: False, INTERNAL_LIGHT: True, POWER_STATE: ON}),
    ],
)
def test_plan_knows_what_would_be_prepared(
    level: Level, named: tuple[str, ...], prepared: dict[str, JsonValue]
) -> None:
    """It is what level and write list allow of what may be in the way; nothing where `prepare` is off."""
    keys = [ECO_MODE, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS, SETPOINT, POWER_STATE, *named]
    own = {"supports": keys, "lacks": ["*"], "power_states": ["On", "Off"]}
    told: list[object] = []
    for prepare in (True, False):
        write = write_table("*", *named, prepare=prepare)
        profile = profile_of("Refrigerator", appliance=own, write=write)
        (cost,) = rehearse(all_cases(profile, level), profile, CATALOG, level).values()
        told.append(cost.prepared)
    assert told == [prepared, {}]


def test_what_is_not_allowed_costs_nothing() -> None:
    """Nothing is counted that the write list does not name."""
    profile = profile_of(write=write_table())
    assert rehearse(all_cases(profile), profile, CATALOG, "power") == {}
