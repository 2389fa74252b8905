"""Servers whose cooling modes move setpoints that the document leaves alone.

> setpoints unchanged
> Refrigerator temperature switches to +14 °C; freezer follows its setting
> Refrigerator set automatically to 2 °C; freezer unchanged
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants.faults.rows import Row, add
from conformance.mutants.faults.write_shapes import shifts
from conformance.mutants.fleets import FRIDGE_MODES, FRIDGE_SUPER
from conformance.mutants.model import Symptom
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_THREE_SETPOINTS = FRIDGE_CELSIUS.only(
    keys.SETPOINT, keys.FREEZER_SETPOINT, keys.CHILLER_SETPOINT, keys.SUPER_REFRIGERATOR, keys.FREEZER_DOOR
)


def _shows_while(mode: str, setpoint: str, function: Callable[[float], float]) -> type[Service]:
    """While a cooling mode is on, a setpoint is shown as the function makes it."""

    class ShowsWhile(Service):
        def value(self, appliance: Appliance, key: str) -> Json:
            shown = super().value(appliance, key)
            is_wrong = key == setpoint and appliance.values[mode] is True
            return function(shown) if is_wrong and isinstance(shown, int | float) else shown

    return ShowsWhile


# A row of a table takes two or three lines; the formatter would make ten of them.
# fmt: off
ROWS = (
    Row("super-refrigerator-warms-the-freezer", "COOL-SUPER-FRIDGE", "L3", FRIDGE_SUPER,
        shifts(keys.SUPER_REFRIGERATOR, keys.FREEZER_SETPOINT, -16),
        "SuperModeRefrigerator raises the setpoint of the freezer while it is on.",
        shows=Symptom("SuperModeRefrigerator=true", -16, -18, read="SetpointTemperatureFreezer")),
    Row("super-refrigerator-lowers-its-own", "COOL-SUPER-FRIDGE", "L3", FRIDGE_SUPER,
        _shows_while(keys.SUPER_REFRIGERATOR, keys.SETPOINT, lambda _: 2),
        "SuperModeRefrigerator shows the lowest possible temperature as the setpoint of the refrigerator.",
        shows=Symptom("SuperModeRefrigerator=true", 2, 4, read="SetpointTemperatureRefrigerator")),
    Row("super-refrigerator-moves-the-third", "COOL-SUPER-FRIDGE", "L3", _THREE_SETPOINTS,
        shifts(keys.SUPER_REFRIGERATOR, keys.CHILLER_SETPOINT, -1),
        "SuperModeRefrigerator lowers the setpoint of a freshness compartment, and of nothing else.",
        shows=Symptom("SuperModeRefrigerator=true", -1, 0, read="ChillerCommon.SetpointTemperature")),
    Row("super-freezer-lowers-its-own", "COOL-SUPER-FREEZER", "L3", FRIDGE_SUPER,
        shifts(keys.SUPER_FREEZER, keys.FREEZER_SETPOINT, -24),
        "SuperModeFreezer lowers the setpoint of the freezer while it is on.",
        shows=Symptom("SuperModeFreezer=true", -24, -18, read="SetpointTemperatureFreezer")),
    Row("super-freezer-warms-the-refrigerator", "COOL-SUPER-FREEZER", "L3", FRIDGE_SUPER,
        shifts(keys.SUPER_FREEZER, keys.SETPOINT, 8),
        "SuperModeFreezer raises the setpoint of the refrigerator while it is on.",
        shows=Symptom("SuperModeFreezer=true", 8, 4, read="SetpointTemperatureRefrigerator")),
    Row("vacation-warms-the-freezer", "COOL-VACATION-FREEZER", "L3", FRIDGE_MODES,
        shifts(keys.VACATION_MODE, keys.FREEZER_SETPOINT, -16),
        "VacationMode raises the setpoint of the freezer while it is on.",
        shows=Symptom("VacationMode=true", -16, -18, read="SetpointTemperatureFreezer")),
    Row("vacation-shows-the-coldest", "COOL-VACATION-FREEZER", "L3", FRIDGE_MODES,
        _shows_while(keys.VACATION_MODE, keys.FREEZER_SETPOINT, lambda _: -24),
        "While VacationMode is on, the freezer shows the lowest setpoint it can have, whatever is set.",
        shows=Symptom("VacationMode=true", -24, -18, read="SetpointTemperatureFreezer")),
    Row("fresh-warms-the-freezer", "COOL-FRESH-FREEZER", "L3", FRIDGE_MODES,
        shifts(keys.FRESH_MODE, keys.FREEZER_SETPOINT, -16),
        "FreshMode raises the setpoint of the freezer while it is on.",
        shows=Symptom("FreshMode=true", -16, -18, read="SetpointTemperatureFreezer")),
    Row("fresh-adds-a-degree", "COOL-FRESH-FREEZER", "L3", FRIDGE_MODES,
        _shows_while(keys.FRESH_MODE, keys.FREEZER_SETPOINT, lambda shown: shown + 1),
        "While FreshMode is on, the setpoint of the freezer is shown one degree higher than it is set.",
        shows=Symptom("FreshMode=true", -17, -18, read="SetpointTemperatureFreezer")),
)
# fmt: on

add(__name__, ROWS)
