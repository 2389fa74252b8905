"""States that excuse a silence or a write without effect: how they are known, and what ends them."""

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.keys import CHILD_LOCK, OFF, ON, RUN
from catalog.loader import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind
from conformance.model.couplings import controllers_of, write_controllers_of
from conformance.model.state_table import EndedAt, ended_at
from conformance.model.states import (
    Sight,
    closing_state,
    exempting_state,
    foreign_state,
    is_locked_by,
    may_write_now,
    write_exempting_states,
)
from conformance.model.ways import ending_of, locks_of
from conformance.selftest.support.handmade import (
    ANCHOR,
    exchange,
    profile_of,
    refusal,
    seen_of,
    tried,
    value,
    write_table,
)

POWER, OPERATION = "Vendor.Common.Setting.PowerState", "Vendor.Common.Status.OperationState"
AMBIENT, HOOD, LIGHT = (
    "Vendor.Common.Setting.AmbientLight",
    "Cooking.Hood.Setting.ColorTemperature",
    "Refrigeration.Common.Setting.Light.",
)
IS_OFF = "PowerState is Vendor.Common.EnumType.PowerState.Off"
COLOR, LIGHTING = f"{AMBIENT}Color", "Cooking.Common.Setting.Lighting"
CUSTOM, PRESET = (f"Vendor.Common.EnumType.AmbientLightColor.{name}" for name in ("CustomColor", "Color7"))
IS_ON, SWITCHED_OFF, RUNNING = value(POWER, ON), value(POWER, OFF), value(OPERATION, RUN)
BRIGHTNESS, COLOR_TEXT, PERCENT = f"{AMBIENT}Brightness", f"{AMBIENT}CustomColor", f"{HOOD}Percent"
LAMP = "Cooking.Common.Setting.LightingBrightness"
OVEN_SABBATH = "Cooking.Oven.Setting.SabbathMode"
WARM = "Cooking.Hood.EnumType.ColorTemperature.warm"

# what was read, the key in question -> the state that exempts it; none where that is only not known
STATES: dict[str, tuple[Exchange, str, str]] = {
    "nothing known": (value(ANCHOR, 5), BRIGHTNESS, ""),
    "custom color": (value(COLOR, CUSTOM), BRIGHTNESS, "X1"),
    "preset": (value(COLOR, PRESET), COLOR_TEXT, "X2"),
    "color is silent": (refusal(COLOR), BRIGHTNESS, ""),
    "warm": (value(HOOD, WARM), PERCENT, "X3"),
    "off": (SWITCHED_OFF, ANCHOR, "X4"),
    "on": (IS_ON, ANCHOR, ""),
    "power is silent": (refusal(POWER), ANCHOR, ""),
    "a power state that is none": (value(POWER, "On"), ANCHOR, "no X4"),
    "a color that is none": (value(COLOR, "CustomColor"), COLOR_TEXT, "no X2"),
    "power met an error": (exchange(POWER, 504), ANCHOR, ""),
    "sabbath met an error": (exchange(OVEN_SABBATH, 504), COLOR, ""),
    "lighting met an error": (exchange(LIGHTING, 504), LAMP, "no X8"),
    "lighting is off": (value(LIGHTING, False), LAMP, "X8"),
}
# the same where the profile claims what was read
CLAIMED: dict[str, tuple[Exchange, str, str]] = {
    "color is silent": (refusal(COLOR), BRIGHTNESS, "no X1"),
    "sabbath is silent": (refusal(OVEN_SABBATH), COLOR, "no X7"),
    "power is silent": (refusal(POWER), ANCHOR, "X4"),
    "sabbath, a light": (value(OVEN_SABBATH, True), COLOR, "X7"),
    "lighting is silent": (refusal(LIGHTING), LAMP, "no X8"),
}


def again(answer: Exchange) -> tuple[Exchange, ...]:
    """The second read of a key that shows a state."""
    group = Group(ProcedureKind.AGAIN, f"{answer.segment}/{answer.key}")
    return (replace(answer, purpose="repeat", groups=(group,)),)


@pytest.mark.parametrize(("name", "claimed"), [*((n, False) for n in STATES), *((n, True) for n in CLAIMED)])
def test_exempting_state(name: str, *, claimed: bool) -> None:
    """A state exempts the keys it touches, and is read with them; what is claimed and silent counts as it."""
    answer, key, state = (CLAIMED if claimed else STATES)[name]
    kind = "Refrigerator" if key.startswith("Refrigeration") else "Hood"
    seen = seen_of(profile_of(kind, appliance={"supports": [answer.key] * claimed}), answer, *again(answer))
    found = exempting_state(seen, key)
    assert (f"{'' if found.is_shown else 'no '}{found.id.name}" if found else "") == state
    assert not found or answer.key in controllers_of(key)


LOCAL, REMOTE, LOCK = (
    *(f"Vendor.Common.Status.{name}" for name in ("LocalControlActive", "RemoteControlActive")),
    "Vendor.Common.Setting.ChildLock",
)
ROBOT, COOLING = "ConsumerProducts.CleaningRobot", "Refrigeration.Common.Setting."
MAP1, CURRENT = f"{ROBOT}.Setting.NameOfMap1", f"{ROBOT}.Setting.CurrentMap"
FRIDGE, FREEZER = (
    f"Refrigeration.FridgeFreezer.Setting.SetpointTemperature{name}" for name in ("Refrigerator", "Freezer")
)
SABBATH = "Cooking.Oven.Setting.SabbathMode"
BUSY: dict[str, object] = {"while_busy": True}
HOT_WATER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWater"
ACTING = "ChildLock LocalControlActive RemoteControlActive"


# what was read -> the states that may keep a value of the anchor from being written
KEPT: dict[str, tuple[list[Exchange], str]] = {
    "nothing known": ([], ""),
    "not remotely": ([value(REMOTE, False)], "RemoteControlActive is false"),
    "operated": ([value(LOCAL, True)], "LocalControlActive is true"),
    "remote is silent": ([exchange(REMOTE, 500)], "the key RemoteControlActive could not be read (500)"),
    "running": ([RUNNING], "OperationState is Vendor.Common.EnumType.OperationState.Run"),
    "an operation state that is none": (
        [value(OPERATION, "Ready")],
        'OperationState is "Ready", which is no value of the document',
    ),
    "power met an error": ([exchange(POWER, 408)], "the key PowerState could not be read (408)"),
    "sabbath is refused": ([refusal(SABBATH)], ""),
    "sabbath is forbidden": ([exchange(SABBATH, 403)], "the key SabbathMode could not be read (403)"),
    "sabbath is forbidden like any unknown key": (
        [exchange("Vendor.Common.Setting.Nonce", 403, group=NONCE_SETTINGS), exchange(SABBATH, 403)],
        "",
    ),
    "locked": ([value(LOCK, True)], "ChildLock is on"),
    "off and locked": ([SWITCHED_OFF, value(LOCK, True)], f"{IS_OFF}, ChildLock is on"),
    "sabbath": ([value(SABBATH, True)], "SabbathMode is on"),
}
# what was read, the key, the value that is written -> those states
WRITES: dict[str, tuple[list[Exchange], str, object, str]] = {
    **{name: (exchanges, ANCHOR, 5, states) for name, (exchanges, states) in KEPT.items()},
    "cooling": ([value(f"{COOLING}EcoMode", True)], FRIDGE, 4, "EcoMode is on"),
    "a map without a name": ([value(MAP1, "")], MAP1, "x", "NameOfMap1 is empty or cannot be read"),
    "a map with a name": ([value(MAP1, "x")], MAP1, "y", ""),
    "to a map without a name": ([], CURRENT, "a.Map1", "NameOfMap1 is empty or cannot be read"),
    "to a map with a name": ([value(MAP1, "x")], CURRENT, "a.Map1", ""),
}


@pytest.mark.parametrize("name", WRITES)
def test_states_that_exempt_a_write(name: str) -> None:
    """Every state is named that may keep a value from being written now."""
    exchanges, key, wanted, states = WRITES[name]
    kinds = CATALOG.entries[key].kinds
    kind = next(kind for kind in ("Oven", "Refrigerator", "CleaningRobot") if kind in kinds)
    found = write_exempting_states(seen_of(profile_of(kind), *exchanges), key, wanted)
    assert ", ".join(map(str, found)) == states


# what was read, the key, its place in [write] -> it may be written, and what keeps all writes away
MAY: dict[str, tuple[list[Exchange], str, dict[str, object], bool, str]] = {
    "nothing known": ([], ANCHOR, {}, True, ""),
    "not remotely": ([value(REMOTE, False)], ANCHOR, {}, False, "X6"),
    "not remotely, which is allowed": ([value(REMOTE, False)], ANCHOR, BUSY, True, ""),
    "running": ([RUNNING], ANCHOR, {}, False, "X10"),
    "running, which is allowed": ([RUNNING], ANCHOR, BUSY, True, ""),
    "the power while running": ([RUNNING], POWER, BUSY, False, ""),
    "the power while not remotely": ([value(REMOTE, False)], POWER, BUSY, True, ""),
    "locked": ([value(LOCK, True)], ANCHOR, {}, False, "X13"),
    "locked, which may be ended": ([value(LOCK, True)], ANCHOR, {"allow": [ANCHOR, LOCK]}, False, ""),
    "off": ([SWITCHED_OFF], ANCHOR, {}, False, ""),
    "a state that is none": ([value(OPERATION, "Ready")], ANCHOR, {}, False, "X10"),
}


@pytest.mark.parametrize("name", MAY)
def test_key_may_be_written_now(name: str) -> None:
    """Unless a state keeps it, other than those that are passed over, or one in which nothing is written."""
    told, key, table, may, closing = MAY[name]
    seen = seen_of(profile_of("Oven", write=write_table(**{"allow": [ANCHOR], **table})), *told)
    assert may_write_now(seen, key) is may
    found = closing_state(seen, key)
    assert (found.id.name if found else "") == closing
    despite = [state.id for state in write_exempting_states(seen, key)]
    assert may_write_now(seen, key, despite) is (not closing and (may or key == ANCHOR))


def test_turns_of_states_are_in_order() -> None:
    """Locks are ended before the power state, that before modes."""
    found = ended_at(EndedAt.MODE, EndedAt.LOCK, EndedAt.POWER)
    assert [state.turn for state in found] == sorted(state.turn for state in found)
    assert {state.turn for state in found} == {EndedAt.MODE, EndedAt.LOCK, EndedAt.POWER}


# the key -> what is read to judge it, and what else to judge a write of it
NEEDS = {
    ANCHOR: ("PowerState", f"{ACTING} OperationState SabbathMode"),
    POWER: ("OperationState", f"{ACTING} SabbathMode"),
    f"{AMBIENT}Brightness": (
        "AmbientLightColor AmbientLightEnabled PowerState SabbathMode",
        f"{ACTING} OperationState",
    ),
    f"{HOOD}Percent": ("ColorTemperature Lighting PowerState SabbathMode", f"{ACTING} OperationState"),
    f"{LIGHT}Internal.Brightness": ("Internal.Power PowerState SabbathMode", f"{ACTING} OperationState"),
    FREEZER: (
        "EcoMode FreshMode LiquidVolumeUnit PowerState TemperatureUnit VacationMode",
        f"{ACTING} OperationState SabbathMode SuperModeFreezer SuperModeRefrigerator",
    ),
    HOT_WATER: ("LiquidVolumeUnit PowerState TemperatureUnit", f"{ACTING} OperationState SabbathMode"),
    CURRENT: ("PowerState", f"{ACTING} NameOfMap1 NameOfMap2 NameOfMap3 OperationState SabbathMode"),
}


@pytest.mark.parametrize("key", NEEDS)
def test_what_has_to_be_read(key: str) -> None:
    """A run that judges one key alone reads what decides about it."""
    read = controllers_of(key)
    written = write_controllers_of(key) - read
    named = [
        sorted({each.rpartition("g.")[2].rpartition("s.")[2].removeprefix("Light.") for each in keys})
        for keys in (read, written)
    ]
    assert named == [sorted(words.split()) for words in NEEDS[key]]


@pytest.mark.parametrize("second", [(), again(IS_ON), again(exchange(POWER, 500))])
def test_state_that_was_seen_once_is_a_doubt(second: tuple[Exchange, ...]) -> None:
    """A state excuses something only where two reads show it."""
    found = exempting_state(seen_of(profile_of(), SWITCHED_OFF, *second), ANCHOR)
    assert found
    assert (found.is_shown, str(found)) == (False, f"{IS_OFF}, once")


@pytest.mark.parametrize(
    ("answer", "key", "is_foreign"),
    [
        (value(COLOR, "CustomColor"), COLOR_TEXT, True),
        (value(COLOR, CUSTOM), COLOR_TEXT, False),
        (value(COLOR, "CustomColor"), ANCHOR, False),
        (value(OPERATION, "Ready"), ANCHOR, False),
    ],
)
def test_value_that_is_none_of_the_document_is_told(answer: Exchange, key: str, *, is_foreign: bool) -> None:
    """Where it might show a state of the key, but who acts."""
    found = foreign_state(seen_of(profile_of("Hood"), answer), key)
    assert (found is not None and found.sight is Sight.FOREIGN) is is_foreign


@pytest.mark.parametrize(
    ("shown", "locked"), [(CUSTOM, True), (PRESET, False), ("CustomColor", None), (7, None)]
)
def test_rule_locks_a_key_by_the_value_of_another(shown: object, *, locked: bool | None) -> None:
    """None for what is no value of the document."""
    assert is_locked_by(seen_of(profile_of("Hood")), BRIGHTNESS, shown) is locked


def test_value_comes_from_the_tries_of_an_error() -> None:
    """The first of them that gave one; a refusal is not tried for one."""
    first, *later = tried(value(CHILD_LOCK, shown=True))
    for answer, found in ((exchange(CHILD_LOCK, 503), True), (refusal(CHILD_LOCK, 409), None), (first, True)):
        seen = seen_of(profile_of(), answer, *later)
        assert (seen.value(CHILD_LOCK), seen.was_served(CHILD_LOCK)) == (found, True)


# What ends a state, and what comes first on the way.
COLORS = ["CustomColor", "Color7", "Color8"]
COLOR_1, COLOR_7 = keys.COLOR_1, keys.COLOR_1.replace("Color1", "Color7")

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
