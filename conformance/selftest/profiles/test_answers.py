"""What a profile answers the gaps of the document with, as results and certificates tell it."""

from __future__ import annotations

import pytest

from conformance.cases import CATALOG
from conformance.profiles.answers import answers_of
from conformance.profiles.validation import build_profile
from conformance.selftest.support.samples.handmade import HA_ID, profile_of

SAID = answers_of(
    profile_of(appliance={"samples": {"custom_color": ["#4a88f8"]}}, paths={"authoritative": "status"})
)


@pytest.mark.parametrize(
    ("field", "answer"),
    [
        ("appliance.samples.custom_color", f'{{"{HA_ID}": ["#4a88f8"]}}'),
        ("paths.authoritative", '"status"'),
        ("power.probe_unlisted", "false (default)"),
        ("http.success", '"200-299" (default)'),
        ("pace.concurrency", "16 (default)"),
    ],
)
def test_field_is_told(field: str, answer: str) -> None:
    """A field is told as it was declared, and as it is by default where it was not."""
    assert SAID[field] == answer


def test_pace_is_that_of_the_place() -> None:
    """A target that is not on loopback is asked at the pace that holds for such."""
    target = {"name": "hub", "base_url": "https://staging.example/hub"}
    said = answers_of(
        build_profile({"target": target, "appliance": [{"ha_id": HA_ID, "kind": "Oven"}]}, CATALOG)
    )
    assert (said["pace.per_minute"], said["pace.per_day"]) == ("40 (default)", "900 (default)")


def test_samples_are_told_as_the_catalog_names_them() -> None:
    """Each sample that fills a gap is found under the field that the catalog names."""
    said = answers_of(profile_of(appliance={"samples": {"map_name": ["Attic"], "custom_color": ["#4a88f8"]}}))
    fields = {
        field.strip() for gap in CATALOG.gaps for field in gap.answered_by.split(",") if ".samples." in field
    }
    assert fields == {name for name in said if ".samples." in name}
