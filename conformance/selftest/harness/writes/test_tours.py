"""Tours hold every short order of writes; how long is waited for what comes late, or must not move."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from functools import partial
from itertools import groupby, pairwise, permutations
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.cases import all_cases
from conformance.checks.exchange import Exchange
from conformance.checks.groups import (
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD_ORDERS,
    POWER_ORDERS,
    Group,
    mode_group,
    setting_group,
)
from conformance.checks.view import View
from conformance.harness.writes.asking import poll_pauses
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.rehearsal import rehearse
from conformance.harness.writes.tours.letters import TOURS
from conformance.harness.writes.watching import Watch
from conformance.mutants.fleets import THREE_STATES
from conformance.mutants.registry import find_server, load_mutants
from conformance.mutants.shapes.writes import drops_where
from conformance.profiles.validation import build_profile
from conformance.proof import own_time
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.selftest.runs.scenarios.late import EFFECT_S, SETTLE_S, Slow
from conformance.selftest.support.handmade import HA_ID, exchange, profile_of, seen_of, value, write_table
from conformance.selftest.support.judged_runs import STILL, run_of
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import served_by, values_of
from conformance.selftest.support.stepping import Answering

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
    """From CustomColor every order is made that ends with a setting, of four where two presets begin.

    What may be written under a colour is another one, of two presets the first one first, and the settings.
    """

    def written(state: str, order: str) -> Iterator[str]:
        return (one for one in _COLORS + subjects if one != state and (one != "q" or "p" in order))

    made, every = made_in(TOURS[group], "C", 4, _COLORS), orders("C", written, 4)
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


def run_of_mutant(name: str, out: Path, generated: int) -> Ran:
    """A run at level power against a mutant, of the clauses that it breaks; everything is put back."""
    mutant = SERVICES[name]
    service = mutant.service()
    before = values_of(service)
    pace = {"pace": STILL | {"generated": generated}}
    run = run_of(service, out, "power", pace, clauses={mutant.clause, *mutant.partners})
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


@pytest.mark.parametrize(("generated", "writes"), [(0, 0), (20, 6), (60, 19)])
def test_tour_keeps_to_its_requests(generated: int, writes: int, tmp_path: Path) -> None:
    """Where effects come at once, no more requests are sent than the profile allows, and a plan counts them.

    What comes first is known, but for one read of a run, and two reads follow each write.
    """
    service = served_by(fleet=THREE_STATES)()
    run = run_of(service, tmp_path, "power", {"pace": STILL | {"generated": generated}}, clauses=_OF_POWER)
    assert len(run.writes("tour/")) == writes
    requests, without = (planned(service, {"generated": most}) for most in (generated, 0))
    assert 3 * writes <= generated
    assert requests - without == max(0, len(run.requests("tour/")) - 1)


def planned(service: Service, pace: dict[str, int]) -> int:
    """How many requests a plan counts for the appliances of a service."""
    truth = truthful_profile(service, "http://127.0.0.1:1") | {"pace": STILL | pace}
    profile = build_profile(truth)
    cases = [case for case in all_cases(profile, "power") if case.clause.id in _OF_POWER]
    return sum(cost.requests for cost in rehearse(cases, profile, "power").values())


# How long is waited, within tours and beside them.
SLOWEST_S = 4.5


@pytest.mark.parametrize(
    ("slowest_s", "pauses"),
    [
        (None, [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 1, 1]),
        (0.01, [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 1, 1]),
        (0.4, [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.4, 0.8, 1, 1]),
        (SLOWEST_S, [0.5] * 9),
        (100.0, [10 / 15] * 15),
    ],
    ids=["unknown", "at once", "soon", "late", "later than this key may take"],
)
def test_effects_are_looked_for_when_they_may_come(slowest_s: float | None, pauses: list[float]) -> None:
    """As often as before, but evenly up to the slowest that was seen, and ever more seldom after it."""
    seen = seen_of(profile_of(timing={"settle_s": 10, "poll_s": 1}))
    made = [*poll_pauses(seen, keys.CHILD_LOCK, slowest_s)]
    assert made[: len(pauses)] == pytest.approx(pauses)
    assert 10 <= sum(made) < 10 + pauses[0] + 1


def seconds_of(lines: Iterable[Mapping[str, Any]]) -> list[float]:
    """When some requests were made."""
    return [datetime.fromisoformat(line["at"]).timestamp() for line in lines]


@pytest.mark.parametrize(
    ("of", "clauses"),
    [
        (mode_group(keys.FRESH_MODE), {"COOL-VACATION-FREEZER", "COOL-FRESH-FREEZER"}),
        (setting_group(keys.CHILD_LOCK), {"SET-ONLY-TARGET"}),
    ],
    ids=["mode", "lock"],
)
def test_a_mode_is_watched_while_it_is_on(of: Group, clauses: set[str], tmp_path: Path) -> None:
    """What it must leave alone has the settle time then; when it has ended, it has to stay off alone."""
    run = run_of(Slow(), tmp_path, "write", {"timing": {"settle_s": SETTLE_S}}, clauses=clauses)
    lines = [line for line in run.evidence if str(of) in line.get("groups", ())]
    lines = [line for line in lines if line["key"] == of.subject]
    on, off = (line for line in lines if line["purpose"] == "write")
    at = seconds_of((on, off, lines[-1]))
    assert at[1] - at[0] >= SETTLE_S
    assert EFFECT_S + 2 <= at[2] - at[1] < SETTLE_S


TABLES = {"timing": {"settle_s": SETTLE_S, "power_settle_s": SETTLE_S}, "pace": STILL | {"generated": 300}}
TRIED = 3
"""How often a tour writes what has no effect, at most, and waits for it."""


NEVER_IN_STANDBY = drops_where(lambda its, key, value: (its.values[key], value) == (keys.ON, keys.STANDBY))
"""A machine that is switched on acknowledges Standby, and stays on."""


def test_a_dead_edge_is_waited_for_as_often_as_it_tells_something(tmp_path: Path) -> None:
    """It is found; a tour waits for it three times, and then writes on."""
    run = run_of(served_by(NEVER_IN_STANDBY, fleet=THREE_STATES)(), tmp_path, "power", TABLES)
    assert run.red() == {"PWR-ON-STANDBY"}
    assert run.writes("tour/").count(("PowerState", "Standby")) > TRIED
    times = seconds_of(run.requests("tour/"))
    assert TRIED * SETTLE_S <= times[-1] - times[0] < (TRIED + 1) * SETTLE_S


def test_walks_that_are_made_again_take_turns_and_are_watched_together(tmp_path: Path) -> None:
    """Three machines are walked one after the other; then nobody writes while all of them are watched.

    Before that, none is watched: whoever walked beside the others is walked again.
    """
    machines = [f"dishwasher-{number}" for number in range(3)]
    fleet = tuple(replace(THREE_STATES, ha_id=name) for name in machines)
    run = run_of(served_by(NEVER_IN_STANDBY, fleet=fleet)(), tmp_path, "power", TABLES)
    again = [*run.requests("walk/alone"), *run.requests("watch")]
    since = sorted(again, key=lambda line: line["n"])
    assert "watch" not in since[0]["groups"]
    steps = groupby((line["ha_id"], "watch" in line["groups"]) for line in since)
    assert [ha_id for (ha_id, is_watched), _ in steps if not is_watched] == [*machines, *machines]


def test_what_is_made_again_alone_is_watched_only_then(tmp_path: Path) -> None:
    """Writes that had no effect beside others: the first look comes after one of them was made alone."""
    run = run_of(find_server("acknowledged-and-dropped")(), tmp_path, "power")
    alone = [one["n"] for one in run.evidence if any("/alone" in group for group in one.get("groups", ()))]
    assert alone[0] < run.requests("watch")[0]["n"]


def test_slow_machine_convicts_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one request takes longer than an effect may, a value that the first two reads do not show yet is
    looked for all the same.
    """
    monkeypatch.setattr(own_time, "_REQUEST_S", 0.6)
    ran = run_of(find_server("reads-lag-behind")(), tmp_path, "write", clauses={"SET-WRITABLE"})
    assert (ran.red(), ran.finding("SET-WRITABLE", keys.ALARM_CLOCK)[0]) == (set(), "pass")


class MovedMeanwhile(Answering):
    """A lane of an appliance that turns off while it waits, and whose run does something else then."""

    def __init__(self, found: View, moved: View, gate: object, meanwhile: Callable[[], object]) -> None:
        super().__init__(found, moved, gate)
        self._meanwhile = meanwhile

    def pause(self, seconds: float) -> None:
        super().pause(seconds)
        self._seen = self._written
        self._meanwhile()


@pytest.mark.parametrize("is_answered", [True, False])
@pytest.mark.parametrize(
    ("shows", "key", "written", "is_left"),
    [
        ((keys.POWER_STATE, keys.ON, keys.OFF), keys.POWER_STATE, keys.OFF, False),
        ((keys.POWER_STATE, keys.ON, keys.OFF), keys.POWER_STATE, keys.STANDBY, True),
        ((keys.POWER_STATE, keys.ON, keys.OFF), keys.CHILD_LOCK, True, True),
        ((keys.POWER_STATE, keys.ON, keys.OFF), keys.ECO_MODE, True, True),
        ((keys.CUSTOM_COLOR, "#102030", "#aabbcc"), keys.CUSTOM_COLOR, "#AABBCC", False),
        ((keys.CUSTOM_COLOR, "#102030", "#aabbcc"), keys.CUSTOM_COLOR, "#AABBCD", True),
    ],
)
def test_what_the_run_writes_elsewhere_explains_only_what_it_is_taken_for(
    shows: tuple[str, str, str], key: str, written: object, *, is_left: bool, is_answered: bool
) -> None:
    """A setting moves while another appliance is written to: the same value may have gone to both, also
    before the write of it is answered.
    """
    profile, (moving, *states) = profile_of(write=write_table("*")), shows
    found, moved = (seen_of(profile, value(moving, state)) for state in states)
    exchanges, under_way = list[Exchange](), list[tuple[str, object]]()
    elsewhere = replace(exchange(key, purpose="write", ha_id="other"), value=written)
    answered, sent = partial(exchanges.append, elsewhere), partial(under_way.append, (key, written))
    gate = SimpleNamespace(closed=Closed([]), under_way=under_way)
    lane = cast("LiveLane", MovedMeanwhile(found, moved, gate, answered if is_answered else sent))
    assert Watch({HA_ID: lane, "other": lane}, exchanges, kept_until=0).look(lane) is is_left
