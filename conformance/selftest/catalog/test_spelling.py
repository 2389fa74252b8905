"""Golden spellings: what is easily written otherwise."""

from __future__ import annotations

import pytest

from catalog import keys
from catalog.loader import load_catalog

CATALOG = load_catalog()


def names(family: str) -> list[str]:
    """The short names of a family's values."""
    return [value.name for value in CATALOG.enumerations[family].values]


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("Vendor.Common.EnumType.LiquidVolumeUnit", "FluidOunces MilliLiter"),
        ("Vendor.Common.EnumType.PowerState", "Off On Standby"),
        ("Cooking.Hood.EnumType.ColorTemperature", "custom warm warmToNeutral neutral neutralToCold cold"),
        ("Refrigeration.Common.EnumType.Door.AssistantForce", "LowForce MiddleForce HighForce"),
        (
            "Vendor.Common.EnumType.Video.CameraState",
            "Disabled Sleeping Ready StreamingLocal StreamingCloud StreamingLocalAndCloud Error",
        ),
        (
            "Vendor.Common.EnumType.OperationState",
            "Inactive Ready DelayedStart Run Pause ActionRequired Finished Error Aborting",
        ),
    ],
)
def test_values_are_spelled_as_in_the_document(family: str, expected: str) -> None:
    """The values of a family keep the document's capitals and its order."""
    assert names(family) == expected.split()


def test_colors_run_from_1_to_99() -> None:
    """AmbientLightColor has CustomColor and Color1 to Color99, without 0, 100 or leading zeros."""
    assert names("Vendor.Common.EnumType.AmbientLightColor") == [
        "CustomColor",
        *(f"Color{number}" for number in range(1, 100)),
    ]


def test_refrigeration_doors_have_two_values() -> None:
    """Eleven doors know Open and Closed only, DoorState knows Locked too."""
    doors = [entry for entry in CATALOG.statuses if entry.key.startswith("Refrigeration.Common.Status.Door.")]
    two = ("Vendor.Common.EnumType.DoorState.Open", "Vendor.Common.EnumType.DoorState.Closed")
    assert [entry.values for entry in doors] == [two] * 11
    assert CATALOG.entries["Vendor.Common.Status.DoorState"].values == (
        *two,
        "Vendor.Common.EnumType.DoorState.Locked",
    )


def test_last_selected_map_uses_available_maps() -> None:
    """LastSelectedMap has the four values of CurrentMap, under the family AvailableMaps."""
    last, current = CATALOG.entries[keys.LAST_MAP], CATALOG.entries[keys.CURRENT_MAP]
    assert (last.family, last.values) == (keys.MAP_FAMILY, current.values)


def test_hot_water_is_counted_in_millilitres() -> None:
    """One of the nine counters is in ml, the others count cups."""
    counters = [entry for entry in CATALOG.statuses if "BeverageCounter" in entry.key]
    assert [entry.key for entry in counters if entry.unit == "ml"] == [keys.HOT_WATER]
    assert [entry.unit for entry in counters].count("cups") == 8


def test_hints_are_no_part_of_keys() -> None:
    """The two SabbathMode keys carry their hint beside the key."""
    hints = {entry.key: entry.hint for entry in CATALOG.settings if entry.hint}
    assert hints == {
        "Cooking.Oven.Setting.SabbathMode": "ovens",
        "Refrigeration.Common.Setting.SabbathMode": "cooling appliances",
    }
