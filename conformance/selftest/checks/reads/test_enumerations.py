"""An enumeration value is one of its entry's own keys, letter by letter."""

import pytest

from conformance.checks.reads.addressing import assert_maker_name
from conformance.checks.reads.enumerations import assert_advertised, assert_key_form, assert_member
from conformance.selftest.support.findings import said
from conformance.selftest.support.samples.handmade import ANCHOR, Reads, judged, profile_of, seen_of, value

POWER = "Vendor.Common.Setting.PowerState"
COLOR = "Vendor.Common.Setting.AmbientLightColor"
DOOR = "Vendor.Common.Status.DoorState"
COLD_DOOR = "Refrigeration.Common.Status.Door.Freezer"
P = "Vendor.Common.EnumType.PowerState"
C = "Vendor.Common.EnumType.AmbientLightColor"

BETA = Reads(value(COLD_DOOR, "Beta.Common.EnumType.DoorState.Open"), appliance={"vendor": "Acme"})

# key, value -> what is said of membership and of key form
# fmt: off
DISGUISES: dict[tuple[str, str], tuple[str, str]] = {
    (POWER, f"{P}.On"): ("pass (2)", "pass (2)"),
    (POWER, "On"): ('fail 2 "On" …PowerState.Off …PowerState.On …PowerState.Standby',
        'fail 2 SHORT "On" …PowerState.On'),
    (POWER, f"{P}.on"): ('fail 2 "…PowerState.on" …PowerState.Off …PowerState.On …PowerState.Standby',
        'fail 2 CASE "…PowerState.on" …PowerState.On'),
    (POWER, f"{P}.On "): ('fail 2 "…PowerState.On " …PowerState.Off …PowerState.On …PowerState.Standby',
        'fail 2 SEPARATORS "…PowerState.On " …PowerState.On'),
    (POWER, "Stand-by"): ('fail 2 "Stand-by" …PowerState.Off …PowerState.On …PowerState.Standby',
        'fail 2 LABEL "Stand-by" …PowerState.Standby'),
    (POWER, P.replace(".", "_") + "_On"): (
        'fail 2 "Vendor_Common_EnumType_PowerState_On" …PowerState.Off …PowerState.On',
        'fail 2 SEPARATORS "Vendor_Common_EnumType_PowerState_On" …PowerState.On'),
    (POWER, f"{P}.MainsOff"): (
        'fail 2 "…PowerState.MainsOff" …PowerState.Off …PowerState.On …PowerState.Standby',
        'inconclusive 2 "…PowerState.MainsOff"'),
    (POWER, ""): ('fail 2 "" …PowerState.Off …PowerState.On …PowerState.Standby', 'inconclusive 2 ""'),
    (COLOR, f"{C}.Color99"): ("pass (2)", "pass (2)"),
    (COLOR, f"{C}.Color01"): ('fail 2 "…AmbientLightColor.Color01" 100 …AmbientLightColor.CustomColor',
        'fail 2 DIGITS "…AmbientLightColor.Color01" …AmbientLightColor.Color1'),
    (COLOR, f"{C}.Color0"): ('fail 2 "…AmbientLightColor.Color0" 100 …AmbientLightColor.CustomColor',
        'inconclusive 2 "…AmbientLightColor.Color0"'),
    (DOOR, "Vendor.Common.EnumType.DoorState.Locked"): ("pass (2)", "pass (2)"),
    (COLD_DOOR, "Vendor.Common.EnumType.DoorState.Locked"): (
        'fail 2 "…DoorState.Locked" …DoorState.Open …DoorState.Closed', "pass (2)"),
    (COLD_DOOR, "Refrigeration.Common.EnumType.DoorState.Open"): (
        'fail 2 "…DoorState.Open" …DoorState.Open …DoorState.Closed', 'inconclusive 2 "…DoorState.Open"'),
}
# fmt: on


@pytest.mark.parametrize(("key", "shown"), DISGUISES)
def test_disguise(key: str, shown: str) -> None:
    """A listed key in another form fails both clauses, a key that is not listed membership alone."""
    member, form = DISGUISES[key, shown]
    seen = seen_of(profile_of(), value(ANCHOR, 5), value(key, shown))
    assert said(judged(assert_member, "ENUM-POWERSTATE", key, seen)) == member
    assert said(judged(assert_key_form, "ENUM-KEYFORM", key, seen)) == form


def listing(allowed: object) -> Reads:
    """A power state that shows these possible values."""
    return Reads(value(POWER, f"{P}.On", allowed=allowed))


SMALL = Reads(value(COLD_DOOR, "ACME.Common.EnumType.DoorState.Open"), appliance={"vendor": "Acme"})
BOTH = Reads(
    value(COLD_DOOR, "ACME.Common.EnumType.DoorState.Open"),
    value(DOOR, "Acme.Common.EnumType.DoorState.Open"),
    appliance={"vendor": "Acme"},
)
# fmt: off
ROWS = {
    ("ADDR-VENDOR", assert_maker_name, COLD_DOOR): {
        "another maker, perhaps a mistake in the profile": ("inconclusive 1 target.vendor", BETA),
    },
    ("ENUM-KEYFORM", assert_key_form, COLD_DOOR): {
        "the maker in another case, perhaps a mistake in the profile": ("inconclusive 1 target.vendor",
            SMALL),
        "the maker in two cases": (
            'fail 1 CASE "ACME.Common.EnumType.DoorState.Open" Acme.Common.EnumType.DoorState.Open',
            BOTH),
    },
    ("ENUM-DOOR-COOLING", assert_member, COLD_DOOR): {
        "a member of another maker, perhaps a mistake in the profile": ("inconclusive 1 target.vendor", BETA),
        "the key of each entry, perhaps a mistake in the profile": ("inconclusive answer.value '/data/value'",
            Reads(value(COLD_DOOR, COLD_DOOR), value(POWER, POWER))),
        "its own key": ('fail 1 "…Door.Freezer" …DoorState.Open …DoorState.Closed',
            Reads(value(COLD_DOOR, COLD_DOOR), value(POWER, f"{P}.On"))),
    },
    ("ENUM-ADVERTISED", assert_advertised, POWER): {
        "all of them": ("pass (1)", listing([f"{P}.{name}" for name in ("On", "Off", "Standby")])),
        "a foreign one": ('fail 1 "…PowerState.MainsOff" …PowerState.Off …PowerState.On …PowerState.Standby',
            listing([f"{P}.On", f"{P}.MainsOff"])),
        "null in a list": ("fail 1 null …PowerState.Off …PowerState.On …PowerState.Standby", listing([None])),
        "a list in a list": ("inconclusive 1", listing([f"{P}.On", [f"{P}.On"]])),
        "a text for a list": ('inconclusive 1 answer.allowed "…PowerState.On"', listing(f"{P}.On")),
        "no list": ("not_applicable 1", Reads(value(POWER, f"{P}.On"))),
        "a list where none is declared": ("not_applicable 1",
            Reads(value(POWER, f"{P}.On", allowed=["x"]), answer={"value": "/data/value"})),
    },
}
# fmt: on

test_enumerations = Reads.each_of(ROWS)


@pytest.mark.parametrize("shown", [True, 0, None, [], {"key": f"{P}.On"}])
def test_value_that_is_no_string_is_the_type_clauses_matter(shown: object) -> None:
    """One defect, one finding."""
    seen = seen_of(profile_of(), value(ANCHOR, 5), value(POWER, shown))
    found = {judged(check, "ENUM-KEYFORM", POWER, seen).verdict for check in (assert_member, assert_key_form)}
    assert found <= {"inconclusive", "not_applicable"}
