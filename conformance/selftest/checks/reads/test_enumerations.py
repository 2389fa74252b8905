"""An enumeration value is one of its entry's own keys, letter by letter."""

import pytest

from conformance.checks.reads.addressing import assert_maker_name
from conformance.checks.reads.enumerations import assert_advertised, assert_key_form, assert_member
from conformance.selftest.support.samples.handmade import ANCHOR, Reads, judged, profile_of, seen_of, value

POWER = "Vendor.Common.Setting.PowerState"
COLOR = "Vendor.Common.Setting.AmbientLightColor"
OPERATION = "Vendor.Common.Status.OperationState"
HOOD = "Cooking.Hood.Setting.ColorTemperature"
LIQUID = "Vendor.Common.Setting.LiquidVolumeUnit"
DOOR = "Vendor.Common.Status.DoorState"
COLD_DOOR = "Refrigeration.Common.Status.Door.Freezer"
LAST_MAP = "ConsumerProducts.CleaningRobot.Status.LastSelectedMap"
P = "Vendor.Common.EnumType.PowerState"
C = "Vendor.Common.EnumType.AmbientLightColor"
R = "Vendor.Common.EnumType.OperationState"
H = "Cooking.Hood.EnumType.ColorTemperature"

BETA = Reads(value(COLD_DOOR, "Beta.Common.EnumType.DoorState.Open"), appliance={"vendor": "Acme"})

# key, value -> verdicts of membership and of key form
DISGUISES: dict[tuple[str, str], tuple[str, str]] = {
    (POWER, f"{P}.On"): ("pass", "pass"),
    (POWER, "On"): ("fail", "fail"),
    (POWER, f"{P}.on"): ("fail", "fail"),
    (POWER, f"{P}.ON"): ("fail", "fail"),
    (POWER, f"{P}.On "): ("fail", "fail"),
    (POWER, f"{P}.On\n"): ("fail", "fail"),
    (POWER, f"{P}.Stand-by"): ("fail", "fail"),
    (POWER, f"{P}.StandBy"): ("fail", "fail"),
    (POWER, "Stand-by"): ("fail", "fail"),
    (POWER, P.replace(".", "/") + "/On"): ("fail", "fail"),
    (POWER, P.replace(".", "_") + "_On"): ("fail", "fail"),
    (POWER, f"{P}:On"): ("fail", "fail"),
    (POWER, f"{P}.MainsOff"): ("fail", "inconclusive"),
    (POWER, f"{P}.OnOff"): ("fail", "inconclusive"),
    (POWER, P): ("fail", "inconclusive"),
    (POWER, ""): ("fail", "inconclusive"),
    (OPERATION, f"{R}.Delayed Start"): ("fail", "fail"),
    (OPERATION, f"{R}.Paused"): ("fail", "inconclusive"),
    (HOOD, f"{H}.Custom"): ("fail", "fail"),
    (HOOD, "Individual"): ("fail", "fail"),
    (LIQUID, "Vendor.Common.EnumType.LiquidVolumeUnit.Milliliter"): ("fail", "fail"),
    (LIQUID, "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunce"): ("fail", "inconclusive"),
    (COLOR, f"{C}.Color99"): ("pass", "pass"),
    (COLOR, f"{C}.Color01"): ("fail", "fail"),
    (COLOR, f"{C}.Color0"): ("fail", "inconclusive"),
    (COLOR, f"{C}.Color100"): ("fail", "inconclusive"),
    (COLOR, "#4a88f8"): ("fail", "inconclusive"),
    (DOOR, "Vendor.Common.EnumType.DoorState.Locked"): ("pass", "pass"),
    (COLD_DOOR, "Vendor.Common.EnumType.DoorState.Closed"): ("pass", "pass"),
    (COLD_DOOR, "Vendor.Common.EnumType.DoorState.Locked"): ("fail", "pass"),
    (COLD_DOOR, "Refrigeration.Common.EnumType.DoorState.Open"): ("fail", "inconclusive"),
    (LAST_MAP, "ConsumerProducts.CleaningRobot.EnumType.LastSelectedMap.Map3"): ("fail", "inconclusive"),
}


@pytest.mark.parametrize(("key", "shown"), DISGUISES)
def test_disguise(key: str, shown: str) -> None:
    """A listed key in another form fails both clauses, a key that is not listed membership alone."""
    member, form = DISGUISES[key, shown]
    seen = seen_of(profile_of(), value(ANCHOR, 5), value(key, shown))
    assert judged(assert_member, "ENUM-POWERSTATE", key, seen).verdict == member
    assert judged(assert_key_form, "ENUM-KEYFORM", key, seen).verdict == form


def listing(allowed: object) -> Reads:
    """A power state that shows these possible values."""
    return Reads(value(POWER, f"{P}.On", allowed=allowed))


SMALL = Reads(value(COLD_DOOR, "ACME.Common.EnumType.DoorState.Open"), appliance={"vendor": "Acme"})
BOTH = Reads(
    value(COLD_DOOR, "ACME.Common.EnumType.DoorState.Open"),
    value(DOOR, "Acme.Common.EnumType.DoorState.Open"),
    appliance={"vendor": "Acme"},
)
ROWS = {
    ("ADDR-VENDOR", assert_maker_name, COLD_DOOR): {"another maker, perhaps a mistake in the profile": BETA},
    ("ENUM-KEYFORM", assert_key_form, COLD_DOOR): {
        "the maker in another case, perhaps a mistake in the profile": SMALL,
        "the maker in two cases": BOTH,
    },
    ("ENUM-DOOR-COOLING", assert_member, COLD_DOOR): {
        "a member of another maker, perhaps a mistake in the profile": BETA,
        "a member of the maker in another case, perhaps a mistake in the profile": SMALL,
        "a member of the maker in two cases": BOTH,
        "the key of each entry, perhaps a mistake in the profile": Reads(
            value(COLD_DOOR, COLD_DOOR), value(POWER, POWER)
        ),
        "its own key": Reads(value(COLD_DOOR, COLD_DOOR), value(POWER, f"{P}.On")),
    },
    ("ENUM-ADVERTISED", assert_advertised, POWER): {
        "all of them": listing([f"{P}.{name}" for name in ("On", "Off", "Standby")]),
        "none of them": listing([]),
        "a foreign one": listing([f"{P}.On", f"{P}.MainsOff"]),
        "null in a list": listing([None]),
        "a list in a list": listing([f"{P}.On", [f"{P}.On"]]),
        "a text for a list": listing(f"{P}.On"),
        "an object for a list": listing({f"{P}.On": 1}),
        "null for a list": listing(None),
        "no list": Reads(value(POWER, f"{P}.On")),
        "a list where none is declared": Reads(
            value(POWER, f"{P}.On", allowed=["x"]), answer={"value": "/data/value"}
        ),
    },
}

test_enumerations = Reads.each_of(ROWS)


@pytest.mark.parametrize("shown", [True, 0, None, [], {"key": f"{P}.On"}])
def test_value_that_is_no_string_is_the_type_clauses_matter(shown: object) -> None:
    """One defect, one finding."""
    seen = seen_of(profile_of(), value(ANCHOR, 5), value(POWER, shown))
    found = {judged(check, "ENUM-KEYFORM", POWER, seen).verdict for check in (assert_member, assert_key_form)}
    assert found <= {"inconclusive", "not_applicable"}
