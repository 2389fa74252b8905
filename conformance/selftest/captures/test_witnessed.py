"""Writes that clients were seen to make are judged as those of a run, where what has to be known was seen."""

from collections.abc import Callable
from pathlib import Path

import pytest

from catalog import keys
from conformance.mutants.fleets import COFFEE_SETTINGS, FRIDGE_MODES, THREE_STATES
from conformance.mutants.shapes.writes import drops, drops_where, refuses_move, strays
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.selftest.support.samples.captured import BASE, STATES, Client, judged_capture

MODES = (keys.FRESH_MODE, keys.VACATION_MODE, keys.ECO_MODE, *keys.SUPER_MODES, keys.FRIDGE_SABBATH)
TEMPERATURE = f"SET-WRITABLE::{keys.SETPOINT}"
LOCK = f"SET-WRITABLE::{keys.CHILD_LOCK}"
SWITCHED_OFF = f"PWR-ON-OFF::{keys.POWER_STATE}"


def on(spec: ApplianceSpec, faulty: type[Service] = Service) -> type[Service]:
    """A service with one appliance, and a fault."""
    return type("Served", (faulty,), {"fleet": (spec,)})


def verdicts(
    directory: Path, made: type[Service], using: Callable[[Client], None]
) -> dict[str, tuple[str, str]]:
    """Verdict and message of each case (`CLAUSE::key`) of the capture of a client of a service."""
    client = Client(made, made.fleet[0].ha_id)
    using(client)
    return judged_capture(directory, {**truthful_profile(made(), BASE), "timing": {}}, client.entries)


def sets_temperatures(client: Client) -> None:
    """The app of a refrigerator: its panel, another temperature, a look whether it came; and once more."""
    for value in (6, 7):
        client.sets(keys.SETPOINT, value, *MODES)


def switches_off_and_on(client: Client) -> None:
    """An oven that is switched off and on from afar, on two days."""
    for _ in range(2):
        for state in (keys.OFF, keys.ON):
            client.read(*STATES, keys.OVEN_SABBATH, keys.POWER_STATE)
            client.write(keys.POWER_STATE, state)
            client.poll(keys.POWER_STATE, times=7, every_s=10)
            client.wait(3600)


def locks_and_unlocks(client: Client) -> None:
    """A child lock, on and off, twice."""
    for value in (True, False, True, False):
        client.sets(keys.CHILD_LOCK, value)


@pytest.mark.parametrize(
    ("made", "using", "case"),
    [
        (on(FRIDGE_MODES), sets_temperatures, TEMPERATURE),
        (on(THREE_STATES), switches_off_and_on, SWITCHED_OFF),
        (on(COFFEE_SETTINGS), locks_and_unlocks, LOCK),
    ],
    ids=["a temperature", "off and on", "a lock"],
)
def test_conforming_service_passes(
    tmp_path: Path, made: type[Service], using: Callable[[Client], None], case: str
) -> None:
    """What was written was read, and nothing is found fault with."""
    told = verdicts(tmp_path, made, using)
    assert told[case] == ("pass", "")
    assert not [one for one, (verdict, _) in told.items() if verdict in {"fail", "error"}]


@pytest.mark.parametrize(
    ("made", "using", "case", "words"),
    [
        (
            on(FRIDGE_MODES, drops(keys.SETPOINT)),
            sets_temperatures,
            TEMPERATURE,
            "(204), still 4",
        ),
        (
            on(THREE_STATES, strays(keys.ON, keys.OFF, keys.ON)),
            switches_off_and_on,
            SWITCHED_OFF,
            "wrote Off from On, acknowledged (204), still",
        ),
        (
            on(THREE_STATES, refuses_move(keys.ON, keys.OFF)),
            switches_off_and_on,
            SWITCHED_OFF,
            "wrote Off from On, 409 (refused), still",
        ),
        (
            on(COFFEE_SETTINGS, drops(keys.CHILD_LOCK)),
            locks_and_unlocks,
            LOCK,
            "wrote true, acknowledged (204)",
        ),
    ],
    ids=["a temperature is dropped", "off is ignored", "off is refused", "a lock is dropped"],
)
def test_fault_that_was_seen_twice_is_a_finding(
    tmp_path: Path, made: type[Service], using: Callable[[Client], None], case: str, words: str
) -> None:
    """With the states known that might explain it, and for as long as the write may take."""
    verdict, said = verdicts(tmp_path, made, using)[case]
    assert (verdict, words in said) == ("fail", True), said


def without_the_panel(client: Client) -> None:
    """An app that writes a temperature and looks at nothing else."""
    for value in (6, 7):
        client.poll(keys.SETPOINT, times=1)
        client.write(keys.SETPOINT, value)
        client.poll(keys.SETPOINT)
        client.wait(600)


def looks_too_soon(client: Client) -> None:
    """An app that looks once, sooner than the temperature need have come."""
    for value in (6, 7):
        client.read(*STATES, *MODES, keys.SETPOINT)
        client.write(keys.SETPOINT, value)
        client.poll(keys.SETPOINT, times=1)
        client.wait(600)


def is_undone_each_time(client: Client) -> None:
    """Somebody else puts the old temperature back as soon as it has come."""
    for value in (6, 7):
        client.read(*STATES, *MODES, keys.SETPOINT)
        client.write(keys.SETPOINT, value)
        client.poll(keys.SETPOINT, times=2)
        client.is_written_beside(keys.SETPOINT, 4)
        client.poll(keys.SETPOINT)
        client.wait(600)


def is_used_by_others(client: Client) -> None:
    """Somebody else was seen to set temperatures that day."""
    sets_temperatures(client)
    client.is_written_beside(keys.FREEZER_SETPOINT, -20)
    client.poll(keys.FREEZER_SETPOINT, times=1)


def is_followed_by_an_automation(client: Client) -> None:
    """Each time FreshMode comes on, somebody else warms the freezer a moment later."""
    for _ in range(2):
        client.read(*STATES, *MODES, keys.TEMPERATURE_UNIT, keys.SETPOINT, keys.FREEZER_SETPOINT)
        client.write(keys.FRESH_MODE, True)
        client.read(keys.FRESH_MODE, keys.FREEZER_SETPOINT)
        client.is_written_beside(keys.FREEZER_SETPOINT, -16)
        client.poll(keys.FREEZER_SETPOINT)
        client.sets(keys.FRESH_MODE, False, *MODES)
        client.sets(keys.FREEZER_SETPOINT, -18, *MODES)


def once(client: Client) -> None:
    """One temperature."""
    client.sets(keys.SETPOINT, 6, *MODES)


@pytest.mark.parametrize(
    ("made", "using", "case", "words"),
    [
        (drops(keys.SETPOINT), once, TEMPERATURE, "seen once"),
        (drops(keys.SETPOINT), without_the_panel, TEMPERATURE, "; not seen: SabbathMode, PowerState, "),
        (drops(keys.SETPOINT), looks_too_soon, TEMPERATURE, "still 4 after 5 s"),
        (Service, is_undone_each_time, TEMPERATURE, "which nobody was seen to write"),
        (
            Service,
            is_followed_by_an_automation,
            f"COOL-FRESH-FREEZER::{keys.FRESH_MODE}",
            "went from -18 to -16, which nobody was seen to write",
        ),
    ],
    ids=["once", "states unseen", "too soon", "undone by others", "moved by others"],
)
def test_what_else_may_explain_is_a_doubt(
    tmp_path: Path, made: type[Service], using: Callable[[Client], None], case: str, words: str
) -> None:
    """A write that was seen once, beside states that nobody saw, or beside others who write."""
    verdict, said = verdicts(tmp_path, on(FRIDGE_MODES, made), using)[case]
    assert (verdict, words in said) == ("inconclusive", True), said


def test_finding_of_another_key_stands_beside_others(tmp_path: Path) -> None:
    """That somebody moves one setting says nothing of the writes of another."""
    told = verdicts(tmp_path, on(FRIDGE_MODES, drops(keys.SETPOINT)), is_used_by_others)
    assert told[TEMPERATURE][0] == "fail"


def test_what_nobody_wrote_is_not_judged(tmp_path: Path) -> None:
    """Nor is anything written for it."""
    told = verdicts(tmp_path, on(FRIDGE_MODES), sets_temperatures)
    assert told[f"SET-WRITABLE::{keys.FREEZER_SETPOINT}"] == ("not_judged", "nobody was seen to write it")
    assert f"SET-TYPEGUARD::{keys.SETPOINT}" not in told


def test_write_that_took_effect_at_another_time_is_a_doubt(tmp_path: Path) -> None:
    """A service that loses some writes may lose any: nobody can make them again."""
    loses_some = drops_where(lambda its, key, _: key == keys.SETPOINT and its.nth("write") % 2 == 0)

    def asks_twice(client: Client) -> None:
        for value in (6, 7, 7, 6):
            client.sets(keys.SETPOINT, value, *MODES)

    verdict, said = verdicts(tmp_path, on(FRIDGE_MODES, loses_some), asks_twice)[TEMPERATURE]
    assert (verdict, "though the same write" in said) == ("inconclusive", True), said
