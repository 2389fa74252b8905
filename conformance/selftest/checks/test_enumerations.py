"""An enumeration value is one of its entry's own keys, letter by letter."""

from __future__ import annotations

import pytest

from conformance.cases import CATALOG
from conformance.checks.reads.addressing import assert_maker_name, assert_specific
from conformance.checks.reads.enumerations import assert_advertised, assert_key_form, assert_member
from conformance.selftest.support.handmade import ANCHOR, judged, profile_of, seen_of, value

POWER = "Vendor.Common.Setting.PowerState"
COLOR = "Vendor.Common.Setting.AmbientLightColor"
OPERATION = "Vendor.Common.Status.OperationState"
HOOD = "Cooking.Hood.Setting.ColorTemperature"
LIQUID = "Vendor.Common.Setting.LiquidVolumeUnit"
FORCE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
DOOR = "Vendor.Common.Status.DoorState"
COLD_DOOR = "Refrigeration.Common.Status.Door.Freezer"
LAST_MAP = "ConsumerProducts.CleaningRobot.Status.LastSelectedMap"
ENUMERATIONS = CATALOG.of_type("Enumeration")
P = "Vendor.Common.EnumType.PowerState"
C = "Vendor.Common.EnumType.AmbientLightColor"
R = "Vendor.Common.EnumType.OperationState"
H = "Cooking.Hood.EnumType.ColorTemperature"

# key, value -> verdicts of membership and of key form
DISGUISES: dict[tuple[str, str], tuple[str, str]] = {
    (POWER, f"{P}.On"): ("pass", "pass"),
    (POWER, "On"): ("fail", "fail"),
    (POWER, "PowerState.On"): ("fail", "fail"),
    (POWER, "EnumType.PowerState.On"): ("fail", "fail"),
    (POWER, f"{P}.on"): ("fail", "fail"),
    (POWER, f"{P}.ON"): ("fail", "fail"),
    (POWER, f" {P}.On"): ("fail", "fail"),
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
    (POWER, "1"): ("fail", "inconclusive"),
    (OPERATION, f"{R}.Delayed Start"): ("fail", "fail"),
    (OPERATION, "Action required"): ("fail", "fail"),
    (OPERATION, f"{R}.Paused"): ("fail", "inconclusive"),
    (HOOD, f"{H}.custom"): ("pass", "pass"),
    (HOOD, f"{H}.Custom"): ("fail", "fail"),
    (HOOD, "Individual"): ("fail", "fail"),
    (HOOD, f"{H}.neutralToWarm"): ("fail", "inconclusive"),
    (LIQUID, "Vendor.Common.EnumType.LiquidVolumeUnit.Milliliter"): ("fail", "fail"),
    (LIQUID, "fl.oz"): ("fail", "fail"),
    (LIQUID, "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunce"): ("fail", "inconclusive"),
    (FORCE, "Refrigeration.Common.EnumType.Door.AssistantForce.LowForce"): ("pass", "pass"),
    (FORCE, "Low"): ("fail", "fail"),
    (FORCE, "Mid"): ("fail", "fail"),
    (FORCE, "Refrigeration.Common.EnumType.Door.AssistantForce.MidForce"): ("fail", "inconclusive"),
    (COLOR, f"{C}.Color1"): ("pass", "pass"),
    (COLOR, f"{C}.Color99"): ("pass", "pass"),
    (COLOR, f"{C}.CustomColor"): ("pass", "pass"),
    (COLOR, f"{C}.Color01"): ("fail", "fail"),
    (COLOR, f"{C}.Color0"): ("fail", "inconclusive"),
    (COLOR, f"{C}.Color100"): ("fail", "inconclusive"),
    (COLOR, "#4a88f8"): ("fail", "inconclusive"),
    (DOOR, "Vendor.Common.EnumType.DoorState.Locked"): ("pass", "pass"),
    (COLD_DOOR, "Vendor.Common.EnumType.DoorState.Closed"): ("pass", "pass"),
    (COLD_DOOR, "Vendor.Common.EnumType.DoorState.Locked"): ("fail", "inconclusive"),
    (COLD_DOOR, "Refrigeration.Common.EnumType.DoorState.Open"): ("fail", "inconclusive"),
    (LAST_MAP, "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map3"): ("pass", "pass"),
    (LAST_MAP, "ConsumerProducts.CleaningRobot.EnumType.LastSelectedMap.Map3"): ("fail", "inconclusive"),
    (LAST_MAP, "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map0"): ("fail", "inconclusive"),
}


@pytest.mark.parametrize(("key", "shown"), DISGUISES)
def test_disguise(key: str, shown: str) -> None:
    """A listed key in another form fails both clauses, a key that is not listed membership alone."""
    member, form = DISGUISES[key, shown]
    seen = seen_of(profile_of(), value(ANCHOR, 5), value(key, shown))
    assert judged(assert_member, "ENUM-POWERSTATE", key, seen).verdict == member
    assert judged(assert_key_form, "ENUM-KEYFORM", key, seen).verdict == form


@pytest.mark.parametrize("key", [entry.key for entry in ENUMERATIONS])
def test_every_listed_value_passes(key: str) -> None:
    """All values of all enumeration keys, in the maker's spelling, pass every clause on them."""
    profile = profile_of(appliance={"vendor": "Acme"})
    for name in CATALOG.entries[key].values or ():
        seen = seen_of(
            profile, value(key, f"Acme.{name.partition('.')[2]}" if name.startswith("Vendor.") else name)
        )
        for check in (assert_member, assert_key_form, assert_maker_name, assert_specific):
            assert judged(check, "ENUM-KEYFORM", key, seen).verdict == "pass"


@pytest.mark.parametrize("key", [entry.key for entry in ENUMERATIONS])
def test_value_of_another_family_belongs_to_another_entry(key: str) -> None:
    """A member of a family that the key does not use is another entry's; a member of none is left to ENUM
    clauses.
    """
    entry = CATALOG.entries[key]
    unlisted = [
        item.key
        for name, family in CATALOG.enumerations.items()
        if name != entry.family
        for item in family.values[:1]
    ]
    for name in unlisted:
        assert (
            judged(assert_specific, "ADDR-SPECIFIC", key, seen_of(profile_of(), value(key, name))).verdict
            == "fail"
        )
    assert (
        judged(assert_specific, "ADDR-SPECIFIC", key, seen_of(profile_of(), value(key, "nonsense"))).verdict
        == "pass"
    )


MAKERS: dict[str, tuple[str, str, str]] = {
    "the declared name": ("Acme", f"Acme.{P.partition('.')[2]}.On", "pass"),
    "the literal Vendor": ("Acme", f"{P}.On", "fail"),
    "another name": ("Acme", f"Beta.{P.partition('.')[2]}.On", "fail"),
    "another name, nothing declared": ("Vendor", f"Beta.{P.partition('.')[2]}.On", "fail"),
    "the declared name in another case": ("Acme", f"ACME.{P.partition('.')[2]}.On", "pass"),
    "no value at all": ("Acme", "On", "pass"),
}


@pytest.mark.parametrize("name", MAKERS)
def test_makers_name(name: str) -> None:
    """The first segment is the declared maker's name; what is wrong with the rest is another clause's."""
    maker, shown, verdict = MAKERS[name]
    seen = seen_of(profile_of(appliance={"vendor": maker}), value(POWER, shown))
    assert judged(assert_maker_name, "ADDR-VENDOR", POWER, seen).verdict == verdict


def test_wrong_maker_in_the_profile_is_not_the_targets_fault() -> None:
    """Where no Vendor key is served and a door's value begins with another name, the profile is asked."""
    seen = seen_of(
        profile_of(appliance={"vendor": "Acme"}), value(COLD_DOOR, "Beta.Common.EnumType.DoorState.Open")
    )
    for check in (assert_maker_name, assert_member):
        result = judged(check, "ADDR-VENDOR", COLD_DOOR, seen)
        assert (result.verdict, "target.vendor" in result.message) == ("inconclusive", True)


LISTS: dict[str, tuple[object, str]] = {
    "all of them": ([f"{P}.{name}" for name in ("On", "Off", "Standby")], "pass"),
    "one of them": ([f"{P}.Off"], "pass"),
    "one twice": ([f"{P}.Off", f"{P}.Off"], "pass"),
    "none": ([], "pass"),
    "a foreign one": ([f"{P}.On", f"{P}.MainsOff"], "fail"),
    "a short one": (["On"], "fail"),
    "another entry's": ([f"{R}.Run"], "fail"),
    "null in it": ([None], "fail"),
    "a list in it": ([f"{P}.On", [f"{P}.On"]], "inconclusive"),
    "an object in it": ([{"key": f"{P}.On"}], "inconclusive"),
    "a text": (f"{P}.On", "inconclusive"),
    "an object": ({f"{P}.On": 1}, "inconclusive"),
    "null": (None, "inconclusive"),
}


@pytest.mark.parametrize("name", LISTS)
def test_advertised_list(name: str) -> None:
    """Every item must be one of the entry's own values; what is no list proves
    nothing, and nothing crashes.
    """
    shown, verdict = LISTS[name]
    result = judged(
        assert_advertised,
        "ENUM-ADVERTISED",
        POWER,
        seen_of(profile_of(), value(POWER, f"{P}.On", allowed=shown)),
    )
    assert result.verdict == verdict, result.message


def test_list_that_is_not_there_is_no_matter() -> None:
    """Nothing demands a list, nor a pointer to one."""
    assert (
        judged(
            assert_advertised, "ENUM-ADVERTISED", POWER, seen_of(profile_of(), value(POWER, f"{P}.On"))
        ).verdict
        == "not_applicable"
    )
    unpointed = seen_of(profile_of(answer={"value": "/data/value"}), value(POWER, f"{P}.On", allowed=["x"]))
    assert judged(assert_advertised, "ENUM-ADVERTISED", POWER, unpointed).verdict == "not_applicable"


@pytest.mark.parametrize("shown", [True, 0, None, [], {"key": f"{P}.On"}])
def test_value_that_is_no_string_is_the_type_clauses_matter(shown: object) -> None:
    """One defect, one finding."""
    seen = seen_of(profile_of(), value("Vendor.Common.Setting.AlarmClock", 5), value(POWER, shown))
    for check in (assert_member, assert_key_form, assert_maker_name):
        assert judged(check, "ENUM-KEYFORM", POWER, seen).verdict in {"inconclusive", "not_applicable"}
