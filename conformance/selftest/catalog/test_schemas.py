"""The exported schemas are exactly as strict as the checks of type, enumeration and range."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import validator_for

from catalog.exports import schema_document
from conformance import test_enumerations, test_ranges, test_value_types
from conformance.cases import CATALOG, derivations_of
from conformance.checks.premise import Check
from conformance.checks.view import View
from conformance.selftest.support.samples.handmade import judged, profile_of, seen_of, value

ABOUT_THE_REST_OF_A_BODY = {
    *("ENUM-KEYFORM", "ENUM-ADVERTISED", "ENUM-SUBSET", "RANGE-COMMON-ADVERTISED"),
    *("RANGE-PERAPP-PRESENT", "RANGE-PERAPP-WELLFORMED", "RANGE-PERAPP-VALUE"),
}
VALIDATORS = {
    key: validator_for({**schema_document(CATALOG), "$ref": f"#/$defs/{key}"}) for key in CATALOG.entries
}
MEMBERS = sorted({member for entry in CATALOG.entries.values() for member in entry.values or ()})
ENDS = sorted(
    {end for entry in CATALOG.entries.values() if entry.range for end in (entry.range.min, entry.range.max)}
)
OTHERS: list[object] = [None, True, False, "", "5", "On", "true", [], [5], {}, -0.0, 5.0]
VALUES: st.SearchStrategy[object] = st.one_of(
    st.sampled_from([end + beside for end in ENDS for beside in (0, 1, -1, 0.5, -0.5, 1e-9)]),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*MEMBERS, *OTHERS]),
)


def checks_of(modules: tuple[ModuleType, ...]) -> dict[str, list[tuple[str, Check]]]:
    """What is judged of a value, by key: each clause with the check that its test asks."""
    found: dict[str, list[tuple[str, Check]]] = {}
    for function in (
        each for module in modules for name, each in vars(module).items() if name.startswith("test_")
    ):
        for derivation in derivations_of(function):
            for entry in derivation.entries or ():
                found.setdefault(entry.key, []).append((derivation.clause.id, check_of_test(function)))
    return found


def check_of_test(function: Callable[..., None]) -> Check:
    """The check that a test asks."""
    checks: list[Check] = []
    function(checks.append)
    return checks[0]


CHECKS = checks_of((test_value_types, test_enumerations, test_ranges))


PROFILE = profile_of("CoffeeMaker")


def is_accepted(key: str, seen: View) -> bool:
    """Whether every check of the value of `key` passes."""
    about_values = [pair for pair in CHECKS[key] if pair[0] not in ABOUT_THE_REST_OF_A_BODY]
    return all(
        judged(check, clause, key, seen).verdict in {"pass", "observed"} for clause, check in about_values
    )


@settings(max_examples=50)
@given(st.data())
def test_a_schema_accepts_what_the_checks_accept(data: st.DataObject) -> None:
    """For every key and generated values, schema and checks agree; all keys have the value at once."""
    shown: Any = data.draw(VALUES)
    seen = seen_of(PROFILE, *(value(key, shown) for key in CATALOG.entries))
    differing = [key for key in CATALOG.entries if VALIDATORS[key].is_valid(shown) != is_accepted(key, seen)]
    assert differing == [], shown
