"""The schema of a profile takes what `check` takes, and refuses what it refuses for its fields and types."""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from conformance import profiles
from conformance.cases import CATALOG
from conformance.profiles.fields import ProfileError
from conformance.profiles.schema import profile_schema
from conformance.profiles.validation import build_profile
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.runs.drafts.draft_document import begin_document
from conformance.selftest.support.commanding import said

FILES = Path(profiles.__file__).parent
SCHEMA = Draft7Validator(profile_schema(CATALOG))
FIRST = {"ha_id": "fridge-1", "kind": "Refrigerator"}

MISTAKES: list[Mapping[str, object]] = [
    {"target": {"vendr": "Acme"}},
    {"answer": {"value": 1}},
    {"pace": {"per_minute": "40"}},
    {"pace": {"concurrency": 65}},
    {"paths": {"authoritative": "statuses"}},
    {"write": {"method": "DELETE"}},
    {"judging": {"most_open": 2}},
    {"appliance": [{"ha_id": "fridge-1"}]},
    {"appliance": [{**FIRST, "power_states": ["Sleep"]}]},
    {"appliance": [{**FIRST, "suports": []}]},
    {"appliance": []},
    {"waiver": [{"case": "*"}]},
]


def is_valid(data: Mapping[str, Any]) -> bool:
    """Whether the schema takes a profile; TOML has dates, JSON their texts."""
    return SCHEMA.is_valid(json.loads(json.dumps(data, default=str)))  # pyright: ignore[reportUnknownMemberType]  jsonschema leaves a parameter untyped


def test_schema_is_one() -> None:
    """The command prints it, and it is a schema of its draft."""
    ran = said("catalog", "--format", "profile-schema")
    printed = json.loads(ran.output)
    assert printed == profile_schema(CATALOG)
    Draft7Validator.check_schema(printed)


@pytest.mark.parametrize("name", ["template.toml", "reference.toml"])
def test_profile_with_every_field_is_valid(name: str) -> None:
    """Every field that the template explains is one of the schema."""
    assert is_valid(tomllib.loads((FILES / name).read_text(encoding="utf-8")))


def test_truthful_profile_is_valid() -> None:
    """What the reference says of itself is a profile."""
    assert is_valid(truthful_profile(Service(), "http://127.0.0.1"))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_check_refuses_is_refused(mistake: Mapping[str, object]) -> None:
    """A field that there is not, a wrong type, a value out of bounds, a missing field."""
    data = laid_over(truthful_profile(Service(), "http://127.0.0.1"), mistake)
    with pytest.raises(ProfileError):
        build_profile(data, CATALOG)
    assert not is_valid(data)


def test_new_draft_names_the_schema() -> None:
    """An editor finds the schema by the first line of a draft."""
    words = {"name": "hub", "base_url": "http://127.0.0.1"}
    assert begin_document(None, words, ["fridge-1:Refrigerator"]).as_string().startswith("#:schema ./")
