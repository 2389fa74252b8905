"""Servers whose cooling modes move setpoints that the document leaves alone.

> setpoints unchanged
> Refrigerator temperature switches to +14 °C; freezer follows its setting
> Refrigerator set automatically to 2 °C; freezer unchanged
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.soil import FREEZER_DOOR, FREEZER_SETPOINT, SETPOINT
from conformance.mutants.write_shapes import Shifting
from conformance.mutants.write_soil import CHILLER_SETPOINT, COOLED, FRESH_MODE, KEPT_FRESH, VACATION_MODE
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.names import SUPER_FREEZER, SUPER_REFRIGERATOR
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_THREE_SETPOINTS = FRIDGE_CELSIUS.only(SETPOINT, FREEZER_SETPOINT, CHILLER_SETPOINT, SUPER_REFRIGERATOR, FREEZER_DOOR)


@mutant("super-refrigerator-warms-the-freezer", clause="COOL-SUPER-FRIDGE", level="L3")
class SuperRefrigeratorWarmsTheFreezer(Shifting):
    """SuperModeRefrigerator raises the setpoint of the freezer while it is on."""

    fleet = (COOLED,)
    mode, setpoint, meanwhile = SUPER_REFRIGERATOR, FREEZER_SETPOINT, -16


@mutant("super-refrigerator-lowers-its-own", clause="COOL-SUPER-FRIDGE", level="L3")
class SuperRefrigeratorLowersItsOwn(Service):
    """SuperModeRefrigerator shows the lowest possible temperature as the setpoint of the refrigerator."""

    fleet = (COOLED,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show what is cooled to, not what is set."""
        return 2 if key == SETPOINT and appliance.values[SUPER_REFRIGERATOR] is True else super().value(appliance, key)


@mutant("super-refrigerator-moves-the-third", clause="COOL-SUPER-FRIDGE", level="L3")
class SuperRefrigeratorMovesTheThird(Shifting):
    """SuperModeRefrigerator lowers the setpoint of a freshness compartment, and of nothing else."""

    fleet = (_THREE_SETPOINTS,)
    mode, setpoint, meanwhile = SUPER_REFRIGERATOR, CHILLER_SETPOINT, -1


@mutant("super-freezer-lowers-its-own", clause="COOL-SUPER-FREEZER", level="L3")
class SuperFreezerLowersItsOwn(Shifting):
    """SuperModeFreezer lowers the setpoint of the freezer while it is on."""

    fleet = (COOLED,)
    mode, setpoint, meanwhile = SUPER_FREEZER, FREEZER_SETPOINT, -24


@mutant("super-freezer-warms-the-refrigerator", clause="COOL-SUPER-FREEZER", level="L3")
class SuperFreezerWarmsTheRefrigerator(Shifting):
    """SuperModeFreezer raises the setpoint of the refrigerator while it is on."""

    fleet = (COOLED,)
    mode, setpoint, meanwhile = SUPER_FREEZER, SETPOINT, 8


@mutant("vacation-warms-the-freezer", clause="COOL-VACATION-FREEZER", level="L3")
class VacationWarmsTheFreezer(Shifting):
    """VacationMode raises the setpoint of the freezer while it is on."""

    fleet = (KEPT_FRESH,)
    mode, setpoint, meanwhile = VACATION_MODE, FREEZER_SETPOINT, -16


@mutant("vacation-shows-the-coldest", clause="COOL-VACATION-FREEZER", level="L3")
class VacationShowsTheColdest(Service):
    """While VacationMode is on, the freezer shows the lowest setpoint it can have, whatever is set."""

    fleet = (KEPT_FRESH,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show the lower end of the range."""
        bounds = self.bounds(appliance, self.entries[key])
        away = key == FREEZER_SETPOINT and appliance.values[VACATION_MODE] is True
        return bounds.min if away and bounds is not None else super().value(appliance, key)


@mutant("fresh-warms-the-freezer", clause="COOL-FRESH-FREEZER", level="L3")
class FreshWarmsTheFreezer(Shifting):
    """FreshMode raises the setpoint of the freezer while it is on."""

    fleet = (KEPT_FRESH,)
    mode, setpoint, meanwhile = FRESH_MODE, FREEZER_SETPOINT, -16


@mutant("fresh-adds-a-degree", clause="COOL-FRESH-FREEZER", level="L3")
class FreshAddsADegree(Service):
    """While FreshMode is on, the setpoint of the freezer is shown one degree higher than it is set."""

    fleet = (KEPT_FRESH,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Add one to what is set."""
        shown = super().value(appliance, key)
        fresh = key == FREEZER_SETPOINT and appliance.values[FRESH_MODE] is True
        return shown + 1 if fresh and isinstance(shown, int | float) else shown
