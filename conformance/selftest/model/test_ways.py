"""How a key is made writable, what locks it, in what order values are put back; and which keys go together:
what a write may move, and what stands beside a key.
"""

import pytest

from catalog import keys
from conformance.cases import CATALOG
from conformance.model import couplings
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


# Which keys go together.
LEFT, RIGHT = (
    f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
)
MAP_2 = keys.MAP_NAME_1.replace("Map1", "Map2")
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"

# a key that is written, another one -> it may move it, it may carry it along, they are tied
PAIRS: dict[tuple[str, str], str] = {
    (keys.CHILD_LOCK, keys.CHILD_LOCK): "may_move are_tied",
    (keys.CHILD_LOCK, keys.ALARM_CLOCK): "are_tied",
    (keys.ALARM_CLOCK, keys.CHILD_LOCK): "are_tied",
    (keys.ALARM_CLOCK, DISPENSER): "",
    (keys.ALARM_CLOCK, keys.LOCAL_CONTROL): "are_tied",
    (keys.TEMPERATURE_UNIT, keys.SETPOINT): "may_move may_carry_along are_tied",
    (keys.SETPOINT, keys.TEMPERATURE_UNIT): "",
    (keys.ECO_MODE, keys.VACATION_MODE): "may_move may_carry_along are_tied",
    (keys.ECO_MODE, keys.POWER_STATE): "may_move are_tied",
    (keys.LIGHTING_BRIGHTNESS, keys.LIGHTING): "may_move may_carry_along are_tied",
    (keys.INTERNAL_BRIGHTNESS, keys.INTERNAL_LIGHT): "may_move may_carry_along are_tied",
}


@pytest.mark.parametrize("pair", PAIRS)
def test_keys_of_a_pair_are_coupled(pair: tuple[str, str]) -> None:
    """Units move what they measure, modes each other; a lock moves nothing, and is tied to all."""
    asked = {name: getattr(couplings, name) for name in ("may_move", "may_carry_along", "are_tied")}
    assert {name: ask(CATALOG, *pair) for name, ask in asked.items()} == {
        name: name in PAIRS[pair].split() for name in asked
    }


def test_settings_of_one_light_are_known() -> None:
    """All but the key itself; a key of no light has none."""
    assert keys.LIGHTING_BRIGHTNESS in couplings.of_one_light(keys.LIGHTING)
    assert keys.LIGHTING in couplings.of_one_light(keys.LIGHTING_BRIGHTNESS)
    assert keys.LIGHTING_BRIGHTNESS not in couplings.of_one_light(keys.LIGHTING_BRIGHTNESS)
    assert couplings.of_one_light(keys.CHILD_LOCK) == ()


def test_what_keeps_all_others_is_known() -> None:
    """The locks and the power state; the locks alone keep nothing from being read."""
    locks = {keys.CHILD_LOCK, keys.FRIDGE_SABBATH, "Cooking.Oven.Setting.SabbathMode"}
    assert couplings.locks(CATALOG) == locks
    assert couplings.keeping_all(CATALOG) == {*locks, keys.POWER_STATE}
    assert [couplings.shows_a_state(CATALOG, key) for key in (keys.ECO_MODE, DISPENSER)] == [True, False]
    assert couplings.cooling_modes(CATALOG)[:2] == keys.SUPER_MODES


@pytest.mark.parametrize(
    ("key", "value", "ends"),
    [(keys.SUPER_FREEZER, True, True), (keys.SUPER_FREEZER, False, False), (keys.ECO_MODE, True, False)],
)
def test_only_a_super_mode_ends_by_itself(*, key: str, value: bool, ends: bool) -> None:
    """It has its time."""
    assert couplings.ends_by_itself(key, value) is ends


def test_siblings_are_of_one_row_or_number() -> None:
    """With the same type and segment; neither lights nor a Sabbath mode have any."""
    served = tuple(CATALOG.entries)
    assert LEFT in couplings.siblings_of(CATALOG, served, RIGHT)
    assert MAP_2 in couplings.siblings_of(CATALOG, served, keys.MAP_NAME_1)
    assert couplings.siblings_of(CATALOG, (RIGHT,), RIGHT) == ()
    for key in (keys.LIGHTING, keys.INTERNAL_BRIGHTNESS, keys.FRIDGE_SABBATH, keys.ALARM_CLOCK):
        assert couplings.siblings_of(CATALOG, served, key) == ()
    assert couplings.are_numbered(keys.MAP_NAME_1, MAP_2)
    assert not couplings.are_numbered(keys.MAP_NAME_1, keys.MAP_NAME_1)
    assert not couplings.are_numbered("a.Map1", "b.Map2")


def test_two_settings_that_nothing_couples_stand_beside_a_key() -> None:
    """Booleans that are no siblings; a coupled key has none."""
    served = (keys.ALARM_CLOCK, keys.CHILD_LOCK, keys.ECO_MODE, DISPENSER, keys.CUP_WARMER)
    assert couplings.unrelated_to(CATALOG, served, keys.ALARM_CLOCK) == (keys.CHILD_LOCK, DISPENSER)
    assert couplings.unrelated_to(CATALOG, served, keys.CHILD_LOCK) == (DISPENSER, keys.CUP_WARMER)
    assert couplings.unrelated_to(CATALOG, served, keys.ECO_MODE) == ()
