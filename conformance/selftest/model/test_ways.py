"""How a key is made writable, what locks it, and in what order values are put back."""

import pytest

from catalog import keys
from conformance.model.states import write_exempting_states
from conformance.model.ways import ending_of, locks_of, turn_back
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value

CUSTOM = "Vendor.Common.EnumType.AmbientLightColor.CustomColor"
COLORS = ["CustomColor", "Color7", "Color8"]
COLOR_1, COLOR_7 = keys.COLOR_1, keys.COLOR_1.replace("Color1", "Color7")
OFF, ON = keys.OFF, keys.ON

# what is read of the key that shows a state, the key to write -> the state, and what ends it
ENDS: dict[str, tuple[str, object, str, str, object]] = {
    "custom colour": (keys.AMBIENT_COLOR, CUSTOM, keys.AMBIENT_BRIGHTNESS, "X1", COLOR_7),
    "preset": (keys.AMBIENT_COLOR, COLOR_7, keys.CUSTOM_COLOR, "X2", CUSTOM),
    "temperature": (keys.COLOR_TEMPERATURE, keys.NEUTRAL_LIGHT, keys.COLOR_PERCENT, "X3", keys.CUSTOM_LIGHT),
    "off": (keys.POWER_STATE, OFF, keys.ALARM_CLOCK, "X4", ON),
    "sabbath": (keys.FRIDGE_SABBATH, True, keys.SETPOINT, "X7", False),
    "dark": (keys.INTERNAL_LIGHT, False, keys.INTERNAL_BRIGHTNESS, "X8", True),
    "mode": (keys.ECO_MODE, True, keys.SETPOINT, "X9", False),
    "lock": (keys.CHILD_LOCK, True, keys.SETPOINT, "X13", False),
    "nobody may": (keys.REMOTE_CONTROL, False, keys.SETPOINT, "X6", None),
    "somebody is there": (keys.LOCAL_CONTROL, True, keys.SETPOINT, "X6", None),
    "program": (keys.OPERATION_STATE, keys.RUN, keys.SETPOINT, "X10", None),
    "no map": (keys.MAP_NAME_1, "", keys.MAP_NAME_1, "X12", None),
}


@pytest.mark.parametrize("name", ENDS)
def test_state_is_ended_by_a_write_of_its_key(name: str) -> None:
    """What ends a state is a value that the appliance has; a status is written by nobody."""
    controller, now, key, state, ends = ENDS[name]
    profile = profile_of("Other", appliance={"enum_subset": {keys.AMBIENT_COLOR: COLORS}})
    seen = seen_of(profile, value(controller, now))
    (found,) = write_exempting_states(seen, key)
    assert (found.id.name, ending_of(seen, found, lambda _: True)) == (state, ends)
    assert ending_of(seen, found, lambda _: False) is None


def test_way_begins_with_what_may_refuse_the_rest() -> None:
    """Locks are opened first, then lights and modes, then colours; what is owed goes before other values."""
    profile = profile_of("Other", appliance={"enum_subset": {keys.AMBIENT_COLOR: COLORS}})
    seen = seen_of(profile, value(keys.AMBIENT_COLOR, CUSTOM))
    way = list(locks_of(seen, keys.AMBIENT_BRIGHTNESS, {keys.AMBIENT_COLOR: COLOR_1}))
    assert [lock.row.id.name for lock in way] == ["X7", "X7", "X13", "X4", "X8", "X1"]
    assert (way[-1].opening[0], way[-1].closing) == (COLOR_1, (CUSTOM,))


BACK: dict[tuple[str, object], int] = {
    (keys.LIGHTING, True): 0,
    (keys.LIGHTING, False): 3,
    (keys.POWER_STATE, ON): 0,
    (keys.POWER_STATE, OFF): 3,
    (keys.CHILD_LOCK, False): 0,
    (keys.CHILD_LOCK, True): 3,
    (keys.ECO_MODE, True): 3,
    (keys.AMBIENT_COLOR, CUSTOM): 2,
    (keys.COLOR_TEMPERATURE, keys.NEUTRAL_LIGHT): 2,
    (keys.AMBIENT_BRIGHTNESS, 50): 1,
    (keys.MAP_NAME_1, ""): 1,
}


@pytest.mark.parametrize(("key", "before"), BACK)
def test_what_opens_is_put_back_before_what_closes(key: str, before: object) -> None:
    """A value is put back in a state in which it can be written and read."""
    assert turn_back(seen_of(profile_of()), key, before) == BACK[key, before]
