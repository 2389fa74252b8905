"""Variants that are written to are odd in the way they say, and what they show stays allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from catalog.loader import load_catalog
from conformance.mutants.model import Variant, variant_profile
from conformance.mutants.registry import load_variants
from conformance.profiles.loader import build_profile
from conformance.reference.service import Service
from conformance.selftest import scripts_of_settings as settings
from conformance.selftest import scripts_of_states as states
from conformance.selftest.driving import YES, Driver, played, put, shows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.selftest.driving import Script

CATALOG = load_catalog()
URL = "http://127.0.0.1:1/variant"
ROOM = "conformance.mutants.variant_write_"
WRITTEN = [record for record in load_variants() if record.service.__module__.startswith(ROOM)]
_GROUPS = (
    *(settings.ANSWERS, settings.STATUSES, settings.GUARDS, settings.ROUNDING, settings.MOMENTS, settings.CLAIMS),
    *(states.STATES, states.COUPLINGS, states.LIGHTS, states.POWER),
)
SCRIPTS: dict[str, Script] = {name: script for group in _GROUPS for name, script in group.items()}

LIKE_THE_REFERENCE = {
    "setpoints-in-coarse-steps",
    "alarm-clock-in-minutes",
    "percent-in-steps-of-five",
    "settings-read-only",
    "equal-twins",
    "remote-control-not-needed",
    "unit-change-in-fractions",
    "light-without-a-custom-color",
}
"""Variants whose appliances are odd, while the service does what the reference does."""

CHANGED_BY_READING = {"super-mode-ends-once-seen", "reads-lag-behind", "power-seen-at-the-third-look"}
"""Variants whose script would go another way if somebody read between its steps."""

BEYOND_ITS_RANGE = {"vacation-switches-to-fourteen"}
"""Variants that may show a setpoint beyond its own range, as line 52 lets them."""

each_variant = pytest.mark.parametrize("odd", WRITTEN, ids=[record.name for record in WRITTEN])


def twin(odd: Variant) -> type[Service]:
    """The reference with the appliances of a variant."""
    return type("Twin", (Service,), {"fleet": odd.service.fleet, "name": odd.name})


def served(driver: Driver) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """Every key that shows a value now, with the value and its constraints."""
    for appliance in driver.service.appliances.values():
        for key in appliance.spec.values:
            _, members = driver.get(appliance.ha_id, key)
            if "value" in members:
                yield key, members["value"], members["constraints"]


def violations(driver: Driver, *, own_ranges: bool) -> list[tuple[str, Any]]:
    """What is shown and not allowed: by its type, its enumeration, its common range, and the range beside it."""
    found: list[tuple[str, Any]] = []
    for key, value, constraints in served(driver):
        entry = CATALOG.entries[key]
        allowed = driver.service.fits_type(entry, value) and (entry.values is None or value in entry.values)
        if allowed and entry.range is not None:
            allowed = entry.range.min <= value <= entry.range.max
        if allowed and own_ranges and "min" in constraints:
            allowed = constraints["min"] <= value <= constraints["max"]
        if not allowed:
            found.append((key, value))
    return found


def test_every_variant_has_a_script() -> None:
    """No variant of these modules goes undriven, and no script drives nothing."""
    assert set(SCRIPTS) == {record.name for record in WRITTEN}
    assert sum(len(group) for group in _GROUPS) == len(SCRIPTS)


@each_variant
def test_the_oddity_shows(odd: Variant) -> None:
    """The script of a variant holds on the variant."""
    played(SCRIPTS[odd.name], odd.service)


@each_variant
def test_the_reference_is_not_odd(odd: Variant) -> None:
    """The same script fails on the reference with the same appliances, unless only the appliances are odd."""
    if odd.name in LIKE_THE_REFERENCE:
        played(SCRIPTS[odd.name], twin(odd))
    else:
        with pytest.raises(AssertionError):
            played(SCRIPTS[odd.name], twin(odd))


@each_variant
def test_what_is_shown_stays_allowed(odd: Variant) -> None:
    """After the script, and after each of its steps, every value is one that the document allows."""
    driver = Driver(odd.service)
    for step in SCRIPTS[odd.name]:
        step(driver)
        if odd.name not in CHANGED_BY_READING:
            assert violations(driver, own_ranges=odd.name not in BEYOND_ITS_RANGE) == []
    assert violations(driver, own_ranges=odd.name not in BEYOND_ITS_RANGE) == []


@each_variant
def test_a_written_variant_has_a_valid_profile(odd: Variant) -> None:
    """A suite can load the whole truthful profile, which lets it write everything and probe statuses."""
    profile = build_profile(variant_profile(odd, URL, "full"), CATALOG, environment={})
    assert odd.knowledges == ("full",)
    assert profile.write is not None
    assert (profile.write.allow, bool(profile.write.status_path)) == (("*",), True)


@each_variant
def test_a_written_variant_is_small(odd: Variant) -> None:
    """An appliance has few keys, because each costs writes, and a profile gives an effect less than a second."""
    timing = cast("dict[str, float]", variant_profile(odd, URL, "full")["timing"])
    assert 1 <= len(odd.service.fleet) <= 3
    assert all(1 <= len(spec.values) <= 6 for spec in odd.service.fleet)
    assert timing["settle_s"] < 1


def test_a_script_that_is_wrong_is_noticed() -> None:
    """A step asserts what it says, so a script about another variant does not hold."""
    with pytest.raises(AssertionError, match="is answered 204, not 409"):
        played((put(settings.CHILD_LOCK, YES, 409),), Service)
    with pytest.raises(AssertionError):
        played((shows(settings.ALARM_CLOCK, 1, on="oven-1"),), Service)
