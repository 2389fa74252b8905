"""The exports say what the catalog says, in forms that other tools accept; schemas are as strict as the
checks.
"""

import json
import subprocess
import sys
from collections.abc import Generator, Sized
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema_rs import validator_for
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from catalog.exports import openapi_document, render_catalog, schema_document
from catalog.loader import CATALOG
from catalog.maker import maker_of, with_maker, without_maker
from conformance import test_enumerations, test_ranges, test_value_types
from conformance.cases import derivations_of
from conformance.checks.view import View
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.handmade import profile_of, ruling, seen_of, value

VALUES = {value for entry in CATALOG.entries.values() for value in entry.values or ()}


def rendered(text: str) -> dict[str, Any]:
    """A rendered JSON document."""
    document: dict[str, Any] = json.loads(text)
    return document


def operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """Path, method and operation of every operation of an OpenAPI document."""
    return [
        (path, method, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
    ]


ENTRY = {"key", "type", "values", "range", "own_range", "unit", "contested", "kinds", "line"}
TABLES: dict[str, tuple[set[str], Sized]] = {
    "settings": (ENTRY, CATALOG.settings),
    "statuses": (ENTRY, CATALOG.statuses),
    "power_transitions": ({"from", "write", "to", "condition"}, CATALOG.power_edges),
    "clauses": ({"id", "quote", "line", "basis", "level", "can_fail", "excluded"}, CATALOG.clauses),
    "gaps": ({"id", "line", "quote", "answered_by"}, CATALOG.gaps),
}


def test_json_has_the_promised_fields() -> None:
    """Every row of each table has the fields that other scripts rely on, every value is its whole key."""
    document = rendered(render_catalog(CATALOG, "json"))
    for table, (fields, rows) in TABLES.items():
        assert len(document[table]) == len(rows), table
        assert all(fields <= row.keys() for row in document[table]), table
    assert [one["key"] for one in document["settings"] + document["statuses"]] == list(CATALOG.entries)
    families = CATALOG.enumerations.items()
    assert document["enumerations"] == {name: [one.key for one in known.values] for name, known in families}


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("Vendor.Common.Setting.AlarmClock", [0, 38340, 5.0], [-1, 38341, 0.5, "5", True, None]),
        ("Cooking.Common.Setting.LightingBrightness", [10, 55.5, 100], [9.99, 100.1, "50"]),
        ("Vendor.Common.Setting.ChildLock", [True, False], [0, 1, "true", None]),
        (
            "Refrigeration.Common.Status.Door.Freezer",
            ["Acme.Common.EnumType.DoorState.Open"],
            ["Acme.Common.EnumType.DoorState.Locked", "Open"],
        ),
        ("ConsumerProducts.CleaningRobot.Setting.NameOfMap1", ["", "Küche"], [1, None]),
    ],
)
def test_schema_of_a_value(key: str, good: list[object], bad: list[object]) -> None:
    """A key's schema accepts what the document allows and refuses what it does not."""
    schema = rendered(render_catalog(CATALOG, "jsonschema", maker="Acme"))
    judge = validator_for({**schema, "$ref": f"#/$defs/{key}"})
    assert [value for value in good if not judge.is_valid(value)] == []
    assert [value for value in bad if judge.is_valid(value)] == []


@pytest.mark.parametrize("pointer", ["", "/value", "/data/value", "/data/0/v~1al"])
def test_openapi_is_valid(pointer: str) -> None:
    """The OpenAPI export is valid 3.1, wherever the value stands."""
    validate(rendered(render_catalog(CATALOG, "openapi", value_pointer=pointer)), cls=OpenAPIV31SpecValidator)


def test_openapi_has_each_read() -> None:
    """One operation stands for a key and segment, all of them GET, with ids of their own, which do not depend
    on the maker. Paths and values carry the maker's name, so that no `Vendor.` is left in them.
    """
    document = rendered(render_catalog(CATALOG, "openapi", maker="Acme"))
    found = operations(document)
    assert {method for _, method, _ in found} == {"get"}
    ids = [operation["operationId"] for _, _, operation in found]
    assert len({*ids}) == len(ids) == sum(len(entry.segments) for entry in CATALOG.entries.values())
    assert ids == [one["operationId"] for _, _, one in operations(openapi_document(CATALOG, maker="A & Co"))]
    values = {one for schema in document["components"]["schemas"].values() for one in schema.get("enum", [])}
    assert "/api/homeappliances/{haId}/settings/Acme.Common.Setting.ChildLock" in document["paths"]
    assert [text for text in (*document["paths"], *values) if "Vendor." in text] == []


@pytest.mark.parametrize(
    ("pointer", "good", "bad"),
    [
        ("", True, {"value": True}),
        ("/data/value", {"data": {"value": True, "unit": "x"}}, {"data": {}}),
        ("/items/1/v", {"items": [{}, {"v": True}]}, {"items": [{"v": True}]}),
        ("/a~1b", {"a/b": False}, {"a~1b": False}),
    ],
)
def test_value_stands_at_the_pointer(pointer: str, good: object, bad: object) -> None:
    """The response schema looks for the value where the pointer says, and nowhere else."""
    document = rendered(render_catalog(CATALOG, "openapi", value_pointer=pointer))
    read = document["paths"]["/api/homeappliances/{haId}/settings/Vendor.Common.Setting.ChildLock"]["get"]
    judge = validator_for(
        {
            **read["responses"]["2XX"]["content"]["application/json"]["schema"],
            "components": document["components"],
        }
    )
    assert judge.is_valid(good)
    assert not judge.is_valid(bad)


def test_markdown_names_everything() -> None:
    """Every key, value, clause and gap stands in the Markdown export."""
    text = render_catalog(CATALOG, "markdown")
    wanted = [*CATALOG.entries, *VALUES, *CATALOG.clauses, *(gap.id for gap in CATALOG.gaps)]
    assert [name for name in wanted if f"| {name} |" not in text] == []
    assert "| State | Write | Next state | Condition | Line |" in text


# The exported schemas are exactly as strict as the checks of type, enumeration and range.
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
GENERATED: st.SearchStrategy[object] = st.one_of(
    st.sampled_from([end + beside for end in ENDS for beside in (0, 1, -1, 0.5, -0.5, 1e-9)]),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([*MEMBERS, *OTHERS]),
)


def clauses_of(modules: tuple[ModuleType, ...]) -> dict[str, list[str]]:
    """The clauses by which a value is judged, by key."""
    found: dict[str, list[str]] = {}
    for function in (
        each for module in modules for name, each in vars(module).items() if name.startswith("test_")
    ):
        for derivation in derivations_of(function):
            for entry in derivation.entries or ():
                found.setdefault(entry.key, []).append(derivation.clause.id)
    return found


CLAUSES = clauses_of((test_value_types, test_enumerations, test_ranges))
PROFILE = profile_of("CoffeeMaker")


def is_accepted(key: str, seen: View) -> bool:
    """Whether every check of the value of `key` passes."""
    about_values = [clause for clause in CLAUSES[key] if clause not in ABOUT_THE_REST_OF_A_BODY]
    return all(ruling(clause, key, seen).verdict in {"pass", "observed"} for clause in about_values)


@settings(max_examples=50)
@given(st.data())
def test_a_schema_accepts_what_the_checks_accept(data: st.DataObject) -> None:
    """For every key and generated values, schema and checks agree; all keys have the value at once."""
    shown: Any = data.draw(GENERATED)
    seen = seen_of(PROFILE, *(value(key, shown) for key in CATALOG.entries))
    differing = [key for key in CATALOG.entries if VALIDATORS[key].is_valid(shown) != is_accepted(key, seen)]
    assert differing == [], shown


# The maker's name is exchanged in keys and values, and in nothing else.
FIRST_SEGMENTS = {text.partition(".")[0] for text in (*CATALOG.entries, *CATALOG.enumerations)} - {"Vendor"}
SPELLED = [
    *CATALOG.entries,
    *(value.key for known in CATALOG.enumerations.values() for value in known.values),
]
MAKERS = st.text(st.characters(exclude_characters=".", exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: name not in FIRST_SEGMENTS
)


@given(st.sampled_from(SPELLED), MAKERS)
def test_every_key_and_value_makes_the_round_trip(text: str, maker: str) -> None:
    """What is spelled for a maker is spelled back exactly."""
    assert without_maker(with_maker(text, maker), maker) == text


def test_only_a_maker_is_exchanged() -> None:
    """A text whose first segment is not exactly Vendor stays as it is; one without a dot has no maker."""
    for text in ("Vendor", "", "VendorX.Common", "vendor.Common", "Cooking.Vendor.Setting", " Vendor.Common"):
        assert with_maker(text, "Acme") == text
    assert (maker_of("Acme.Common.Setting.ChildLock"), maker_of("Acme")) == ("Acme", None)


# A client that was generated from the OpenAPI export takes the reference for a server like any other.
OVEN = "oven-1"


class Generated:
    """The package that was generated, and a client of it."""

    def __init__(self, base_url: str) -> None:
        self.client: Any = import_module("generated_client").Client(base_url=base_url)
        rooms = [import_module(f"generated_client.api.{segment}") for segment in ("settings", "status")]
        names = [f"{room.__name__}.{module.name}" for room in rooms for module in iter_modules(room.__path__)]
        self.operations: list[Any] = [import_module(name) for name in names]

    def read(self, key: str) -> Any:
        """What the generated function of a key returns, with the status of the answer; under any segment."""
        ending = _folded(key)
        about_it = [one for one in self.operations if _folded(one.__name__).endswith(ending)]
        told = [operation.sync_detailed(OVEN, client=self.client) for operation in about_it]
        return next((answer for answer in told if answer.parsed), told[0])


def _folded(name: str) -> str:
    """A name without what generators write otherwise: case, dots and underscores."""
    return name.replace("_", "").replace(".", "").lower()


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generator[Generated]:
    """A client of the reference."""
    place = tmp_path_factory.mktemp("client")
    (place / "openapi.json").write_text(json.dumps(openapi_document(CATALOG)), encoding="utf-8")
    words = ["--path", "openapi.json", "--meta", "none", "--output-path", "generated_client"]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *words]
    subprocess.run(command, cwd=place, check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch, serve({"": Service()}) as base_url:
        patch.setattr(sys, "path", [str(place), *sys.path])
        made = Generated(base_url)
        with made.client:
            yield made


def test_every_entry_has_a_function(generated: Generated) -> None:
    """One for each key and segment of the document."""
    assert len(generated.operations) == sum(len(entry.segments) for entry in CATALOG.entries.values())


def test_everything_that_is_served_is_read(generated: Generated) -> None:
    """The models of the client take each value of the oven, and find it equal to what the oven has."""
    for key, held in Service().appliances[OVEN].values.items():
        value = generated.read(key).parsed.data.value
        assert getattr(value, "value", value) == held
