"""Whatever ends a procedure: what it wrote is put back, or said not to be; what a light hides as well."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast
from unittest.mock import Mock

import httpx
import pytest

from catalog import keys
from catalog.keys import AMBIENT_ENABLED, CHILD_LOCK, OFF, POWER_STATE
from conformance.checks.exchange import Exchange
from conformance.checks.groups import setting_group
from conformance.harness.errors import TransportError
from conformance.harness.steps import write
from conformance.harness.wire.connections import Connections
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.transport import Transport
from conformance.harness.writes import write_runner
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.last_looks import LastLooks
from conformance.harness.writes.watching import Watch
from conformance.mutants.fleets import AMBIENT, LAMP
from conformance.mutants.shapes.reads import hides
from conformance.mutants.shapes.side_effects import couples
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.handmade import HA_ID, exchange, profile_of, seen_of, value, write_table
from conformance.selftest.support.judged_runs import STILL, begin, run_of, session_of
from conformance.selftest.support.ran import lines_of
from conformance.selftest.support.recording import Small, served_by
from conformance.selftest.support.rows import drawn
from conformance.selftest.support.stepping import Answering


@pytest.mark.parametrize("budget", drawn([*range(86, 116), *range(192, 199)], 10))
def test_end_of_the_day_is_no_obstacle(budget: int, tmp_path: Path) -> None:
    """Where the day's requests run out within writes, tours or last looks, enough are left for all."""
    service = Small()
    pace = {**STILL, "generated": 60, "concurrency": 1, "per_day": budget}
    ran = run_of(service, tmp_path, "power", {"pace": pace})
    assert budget - 12 < len(service.requests) <= budget
    assert (service.settings(), ran.left, ran.errors()) == (Small().settings(), [], set())
    assert {line["restored"] for line in ran.journal if "restored" in line} == {True}


@pytest.mark.parametrize("granted", [1, 2, 9])
def test_what_cannot_even_be_tried_is_said(
    granted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no access token is granted any more, the run says what it could not put back, and ends."""
    sent: list[str] = []
    send = Transport.send

    def until_then(
        self: Transport, wanted: Wanted, *, permit: int | None = None, made: list[Sent] | None = None
    ) -> list[Sent]:
        if len(sent) >= granted:
            raise TransportError("no access token")
        if permit is not None:
            sent.append(wanted.path)
        return send(self, wanted, permit=permit, made=made)

    monkeypatch.setattr(Transport, "send", until_then)
    service = Small()
    ran = run_of(
        service,
        tmp_path,
        "power",
        {"write": write_table("*", CHILD_LOCK), "pace": {**STILL, "concurrency": 1}},
    )
    place = (sent[-1].split("/")[3], sent[-1].rpartition("/")[2])
    left = [line.partition(" was ")[0] for line in ran.left]  # with what was written together with it
    assert f"not restored: {place[0]} {place[1].rpartition('.')[2]}" in left
    last = [
        line["restored"]
        for line in ran.journal
        if "restored" in line and (line["ha_id"], line["key"]) == place
    ][-1]
    told = [f"not restored: {left['words']}" for left in ran.evidence[-1]["not_restored"]]
    assert (last, ran.journal[-1]["end"], told) == (False, True, ran.left)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_interruption_takes_no_connection_away(
    concurrency: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C when an answer has come that nobody holds yet: putting back does not wait for its connection."""
    handle, struck = Connections.handle_request, list[None]()

    def striking(self: Connections, request: httpx.Request) -> httpx.Response:
        response = handle(self, request)
        if request.method == "PUT" and not struck:
            struck.append(None)
            monkeypatch.setattr(
                write_runner, "lost", response, raising=False
            )  # a frame that is unwound keeps it for a while, too
            raise KeyboardInterrupt
        return response

    monkeypatch.setattr(Connections, "handle_request", striking)
    service = Small()
    tables = {"pace": {**STILL, "concurrency": concurrency}}
    with (
        serve({"": service}) as base_url,
        session_of(service, tmp_path, "power", tables, base_url=base_url) as session,
    ):
        begin(session)
        with pytest.raises(KeyboardInterrupt):
            session.write()
        assert (session.finish(), service.settings()) == ([], Small().settings())
    assert "no response" not in {line.get("outcome") for line in lines_of(tmp_path / JOURNAL_FILE)}


class Hiding(Service):
    """Hides its lock once its light is on again, until the lock is written; or goes off with that."""

    fleet = (DISHWASHER.only(POWER_STATE, CHILD_LOCK, AMBIENT_ENABLED),)
    goes_off = False
    hidden = False

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        self.hidden = key == AMBIENT_ENABLED and value is True
        if self.goes_off and self.hidden:
            appliance.values[POWER_STATE] = OFF

    def value(self, appliance: Appliance, key: str) -> Json:
        return None if key == CHILD_LOCK and self.hidden else super().value(appliance, key)


@pytest.mark.parametrize(("goes_off", "back"), [(False, [True]), (True, [])])
def test_setting_without_a_value_at_last_is_put_back(
    *, goes_off: bool, back: list[bool], tmp_path: Path
) -> None:
    """It is written as it was first; where the appliance is off, it may be hidden, and nothing is written."""
    service = type("Hiding", (Hiding,), {"goes_off": goes_off})()
    allowed = (CHILD_LOCK, AMBIENT_ENABLED)
    run = run_of(service, tmp_path, "write", {"write": write_table(*allowed)}, clauses={"SET-WRITABLE"})
    changed = [line for line in run.journal if line.get("changed") and line["key"] == CHILD_LOCK]
    assert [line["restored"] for line in changed] == back


# What a light hides as it is found, and loses by the write that shows it, is not lost without a word.
class Light(NamedTuple):
    """A light: its switch, its brightness, its color with two values, and what only the custom one frees."""

    fleet: ApplianceSpec
    switch: str
    brightness: str
    color: str
    custom: str
    preset: str
    freed: str
    value: Json
    reset: Json

    def locked(self, its: Appliance) -> str:
        """What cannot be set under the color that is chosen."""
        is_custom = its.values[self.color] == self.custom
        return (self.brightness if self.color == keys.AMBIENT_COLOR else "") if is_custom else self.freed

    @property
    def couplings(self) -> Mapping[str, Mapping[tuple[str, bool | str], Mapping[str, Json]]]:
        """What may move with the switch, or with the color."""
        on, freed = (self.switch, True), {self.freed: self.reset}
        return {
            "on resets the brightness": {on: {self.brightness: 100}},
            "on resets what custom frees": {on: freed},
            "on chooses the preset": {on: {self.color: self.preset}},
            "the preset resets what custom frees": {(self.color, self.preset): freed},
            "custom resets the brightness": {(self.color, self.custom): {self.brightness: 100}},
            "custom resets what it frees": {(self.color, self.custom): freed},
        }


TIMING = {"settle_s": 0.01, "power_settle_s": 0.01, "poll_s": 0.005, "retry_s": 0, "put_back_s": 0.05}
"""Seconds; the lights move at once, and hundreds of runs wait for them."""
FAMILY = keys.COLOR_TEMPERATURE_FAMILY
LIGHTS = {
    "hood": Light(
        LAMP,
        keys.LIGHTING,
        keys.LIGHTING_BRIGHTNESS,
        keys.COLOR_TEMPERATURE,
        f"{FAMILY}.custom",
        f"{FAMILY}.warm",
        keys.COLOR_PERCENT,
        77,
        0,
    ),
    "ambient": Light(
        AMBIENT,
        keys.AMBIENT_ENABLED,
        keys.AMBIENT_BRIGHTNESS,
        keys.AMBIENT_COLOR,
        keys.COLOR_CUSTOM,
        keys.COLOR_1,
        keys.CUSTOM_COLOR,
        "#123456",
        "#ffffff",
    ),
}


CASES = [
    (name, coupling, is_custom, is_lit, hidden)
    for name, light in LIGHTS.items()
    for coupling in light.couplings
    for is_custom in (True, False)
    for is_lit in (True, False)
    for hidden in ("", "dark", "locked", "dark locked")
]
"""Before what was hidden was named, 49 of these 192 lost a setting without a word."""


@pytest.mark.parametrize(("name", "coupling", "is_custom", "is_lit", "hidden"), drawn(CASES, 16))
def test_nothing_hidden_is_moved_without_a_word(  # noqa: PLR0913  one parameter for each thing that lights differ in
    *, name: str, coupling: str, is_custom: bool, is_lit: bool, hidden: str, tmp_path: Path
) -> None:
    """A run says of each setting that it left with another value that it did, or that it never knew it."""
    light = LIGHTS[name]

    def is_hidden(its: Appliance, key: str) -> bool:
        lit = {light.brightness, light.color, light.freed}
        is_dark = "dark" in hidden and not its.values[light.switch] and key in lit
        return is_dark or ("locked" in hidden and key == light.locked(its))

    color = light.custom if is_custom else light.preset
    spec = light.fleet.having({light.switch: is_lit, light.color: color, light.freed: light.value})
    moved = light.couplings[coupling]
    service = served_by(hides(is_hidden), couples(moved), fleet=spec)()
    found = service.settings()
    ran = run_of(service, tmp_path, "power", {"timing": TIMING})
    told = {line["key"] for line in ran.journal if "restored" in line and line["note"]}
    left = service.settings()
    lost = [key for (_, key), value in found.items() if left[spec.ha_id, key] != value]
    silent = [
        key
        for key in lost
        if key not in told and not any(key.rpartition(".")[2] in text for text in ran.left)
    ]
    assert (ran.red(), silent) == (set(), [])


@pytest.mark.parametrize("looked", [value(CHILD_LOCK, shown=False), exchange(CHILD_LOCK, 500)])
def test_what_its_owner_has_changed_stays_when_a_run_goes_on(looked: Exchange) -> None:
    """What is owed is what is there before the first write, also where it met an error then."""
    profile = profile_of(write=write_table(CHILD_LOCK))
    found, now = (seen_of(profile, value(CHILD_LOCK, shown)) for shown in (True, False))
    gate = Gate(profile, "write", Mock(), Closed(), {(HA_ID, CHILD_LOCK): True})
    answering = Answering(seen_of(profile, looked), gate=gate)
    answering.found = found
    lane = cast("LiveLane", answering)
    LastLooks({}, "write", Watch({HA_ID: lane}, [], kept_until=0)).look_again(lane)
    gate.learn(*now.reads.values())
    gate.admit(write(now, setting_group(CHILD_LOCK), CHILD_LOCK, value=True))
    assert [debt.before for debt in gate.due()] == [False]


@pytest.mark.parametrize(("errs", "pauses"), [(False, ([7], [7])), (True, ([1, 7], [7, 1]))])
def test_what_was_put_back_at_last_has_time_to_fall_back(
    *, errs: bool, pauses: tuple[list[float], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The final look at an appliance comes after the settle time of what the look before had to put back. An
    error hides from neither of them what has moved.
    """
    profile = profile_of(timing={"power_settle_s": 7, "retry_s": 1}, write=write_table("*"))
    found, fallen = (seen_of(profile, value(keys.POWER_STATE, state)) for state in (keys.ON, keys.OFF))
    gate = Mock(debts=[], closed=Closed([]))
    looks = LastLooks({}, "power", Mock(moved={}, since={}))
    monkeypatch.setattr(looks, "put_back", Mock())
    for seen, is_final, waited in zip((fallen, found), (False, True), pauses, strict=True):
        lane = Answering(seen, gate=gate, errs=errs)
        lane.found = found
        looks.look(cast("LiveLane", lane), is_final=is_final)
        assert lane.pauses == waited
