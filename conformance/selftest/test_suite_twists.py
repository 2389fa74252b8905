"""Servers with a twist: faults that a careless order of writes hides, and settings that come back only in the right order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest

from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    BATTERY_LEVEL,
    CUSTOM_COLOR,
    FREEZER_SETPOINT,
    ROBOT_TWOFOLD,
)
from conformance.mutants.write_soil import FRESH_MODE, GLOWING_PRESET, KEPT_FRESH, ON_AND_OFF, VACATION_MODE
from conformance.reference.fleet_cooking import COFFEE_MAKER, OVEN
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.names import POWER_STATE, REMOTE_START, SUPER_FREEZER
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, INVALID_VALUE, Reply
from conformance.selftest.judged_runs import run_of
from conformance.selftest.writing_runs import STILL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal

ASSISTANT_FRIDGE = "Refrigeration.Common.Setting.Door.AssistantFridge"
ASSISTANT_FREEZER = "Refrigeration.Common.Setting.Door.AssistantFreezer"


class Followed(Service):
    """The assistant of the freezer takes over what is written to that of the refrigerator, and has the other value at first."""

    fleet = (FRIDGE_CELSIUS.only(ASSISTANT_FRIDGE, ASSISTANT_FREEZER),)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """One way only."""
        if key == ASSISTANT_FRIDGE:
            self.change(appliance, ASSISTANT_FREEZER, value)


class Unlocked(Service):
    """The brightness of an ambient light that is found under a preset can be set under CustomColor as well."""

    fleet = (GLOWING_PRESET,)

    def locked_by(self, appliance: Appliance, key: str) -> Any:
        """Nothing locks the brightness."""
        return None if key == AMBIENT_BRIGHTNESS else super().locked_by(appliance, key)


class LeftWarm(Service):
    """FreshMode raises the setpoint of the freezer, and leaves it there."""

    fleet = (KEPT_FRESH,)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """To -16 °C."""
        if key == FRESH_MODE and value is True:
            self.change(appliance, FREEZER_SETPOINT, -16)


class Hidden(Service):
    """Off is declared, missing from the list of the answer, and refused."""

    fleet = (ON_AND_OFF,)

    def allowed(self, appliance: Appliance, entry: Entry) -> tuple[str, ...]:
        """Without Off."""
        return tuple(value for value in super().allowed(appliance, entry) if entry.key != POWER_STATE or not value.endswith(".Off"))


class Started(Service):
    """The remote start can be allowed by a write where settings are written."""

    fleet = (COFFEE_MAKER.only(REMOTE_START, POWER_STATE),)
    reverting = MappingProxyType({})

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Takes it."""
        if key == REMOTE_START and segment == "settings":
            self.change(appliance, key, self.decode(appliance, key, body))
            return Reply(204, media_type=None)
        return super().write(appliance, segment, key, body)


class Charged(Service):
    """The battery level takes what is written to it, under settings only."""

    fleet = (ROBOT_TWOFOLD.only(BATTERY_LEVEL, POWER_STATE),)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Takes it."""
        if key == BATTERY_LEVEL and segment == "settings":
            self.change(appliance, key, self.decode(appliance, key, body))
            return Reply(204, media_type=None)
        return super().write(appliance, segment, key, body)


class Dark(Service):
    """A light that is found off refuses everything but its switch while it is off."""

    fleet = (GLOWING_PRESET.having({AMBIENT_ENABLED: False}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Nothing, in the dark."""
        dark = appliance.values[AMBIENT_ENABLED] is False and key in {AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR}
        return INVALID_STATE if dark else super().accepts(appliance, key, value)


class Fractional(Service):
    """Whole numbers are shown as 5.0 and written as 5."""

    fleet = (OVEN.only(ALARM_CLOCK, POWER_STATE),)

    def value(self, appliance: Appliance, key: str) -> Json:
        """With a fraction of nothing."""
        found = super().value(appliance, key)
        return float(found) if key == ALARM_CLOCK and isinstance(found, int) else found

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """No fraction, not even of nothing."""
        return INVALID_VALUE if isinstance(value, float) else super().accepts(appliance, key, value)


class Jealous(Service):
    """VacationMode is found on, and no other mode can be switched on meanwhile."""

    fleet = (KEPT_FRESH.having({VACATION_MODE: True}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """One mode at a time."""
        barred = key == FRESH_MODE and appliance.values[VACATION_MODE] is True
        return INVALID_STATE if barred else super().accepts(appliance, key, value)


class Ousting(Service):
    """SuperModeFreezer is found on, and ends when VacationMode begins."""

    fleet = (FRIDGE_CELSIUS.only(FREEZER_SETPOINT, SUPER_FREEZER, VACATION_MODE),)

    def reset(self) -> None:
        """With the mode on."""
        super().reset()
        for appliance in self.appliances.values():
            self.change(appliance, SUPER_FREEZER, value=True)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """One ends the other."""
        if key == VACATION_MODE and value is True:
            self.change(appliance, SUPER_FREEZER, value=False)


@dataclass(frozen=True)
class Twist:
    """A server, the clauses that its run judges, those that must turn red, and how its profile differs from the truthful one."""

    service: type[Service]
    clauses: tuple[str, ...]
    red: tuple[str, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict[str, Any])


TWISTS = {
    "a sibling that has the written value already": Twist(Followed, ("SET-ONLY-TARGET",), ("SET-ONLY-TARGET",)),
    "a brightness that the clause before left": Twist(
        Unlocked, ("AMB-BRIGHTNESS-FREE", "AMB-CUSTOM-ONLY", "AMB-BRIGHTNESS-LOCKED"), ("AMB-BRIGHTNESS-LOCKED",)
    ),
    "a mode that leaves a setpoint moved": Twist(LeftWarm, ("COOL-FRESH-FREEZER",), ("COOL-FRESH-FREEZER",)),
    "a declared state that the answer does not list": Twist(Hidden, ("PWR-ON-OFF",), ("PWR-ON-OFF",)),
    "a remote start that is written as a setting": Twist(Started, ("STA-RCSA-DISABLE-ONLY",), ("STA-RCSA-DISABLE-ONLY",)),
    "a status that comes back under the other segment": Twist(Charged, ("STA-READONLY",), ("STA-READONLY",)),
    "a light that is found off": Twist(Dark, ("AMB-CUSTOM-SETTABLE", "AMB-BRIGHTNESS-FREE")),
    "whole numbers with a fraction": Twist(Fractional, ("SET-WRITABLE", "RANGE-WRITE-BOUNDS")),
    "modes that refuse each other": Twist(Jealous, ("SET-WRITABLE",)),
    "a mode that ends another": Twist(Ousting, ("SET-WRITABLE",)),
}


@pytest.mark.parametrize("name", TWISTS)
def test_twist_is_judged_rightly_and_undone(name: str, tmp_path: Path) -> None:
    """The fault is found and nothing else, and every setting and battery level is what it was, with nothing said to be left."""
    twist = TWISTS[name]
    service = twist.service()
    before = {ha_id: dict(appliance.values) for ha_id, appliance in service.appliances.items()}
    run = run_of(service, tmp_path, "power", {"pace": STILL, **twist.tables}, clauses=twist.clauses)
    assert run.red() == set(twist.red), run.verdicts
    assert run.left == []
    assert {ha_id: appliance.values for ha_id, appliance in service.appliances.items()} == before


class Shared(Service):
    """Two ovens share one SabbathMode, which was on at one of them and off at the other: not both can be put back."""

    fleet = tuple(replace(OVEN.only("Cooking.Oven.Setting.SabbathMode"), ha_id=ha_id) for ha_id in ("oven-1", "oven-2"))

    def reset(self) -> None:
        """On at the second one."""
        super().reset()
        self.appliances["oven-2"].values["Cooking.Oven.Setting.SabbathMode"] = True

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  whichever it is
        """To both."""
        for each in self.appliances.values():
            super().apply(each, key, value)


def test_what_moves_another_back_is_said(tmp_path: Path) -> None:
    """Where putting one setting back moves another one away again, the run does not end as if both were back."""
    run = run_of(Shared(), tmp_path, "write", {"pace": STILL}, clauses=("SET-WRITABLE", "ADDR-HAID-ISOLATION"))
    assert len(run.left) == 1
    assert "SabbathMode" in run.left[0]
