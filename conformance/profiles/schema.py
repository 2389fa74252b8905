"""The JSON Schema of a profile, for editors that complete and explain TOML files (taplo, Even Better TOML).

It is made of the typed model, so that it knows every field; what only the catalog can tell, `check` says.
"""

import json
from typing import Any

from catalog.loader import CATALOG
from conformance.profiles.model import Profile

SCHEMA_FILE = "profile.schema.json"
"""What a draft calls the schema, which `catalog --format profile-schema` prints."""
_OF_KEYS = ("supports", "lacks", "writable")


def profile_schema() -> dict[str, Any]:
    """The schema of a profile file; keys and kinds of the document are offered, and others not refused."""
    schema: dict[str, Any] = Profile.model_json_schema(by_alias=True)
    settings = [entry.key for entry in CATALOG.settings]
    keys: dict[str, Any] = {"anyOf": [{"enum": list(CATALOG.entries)}, {"type": "string"}]}
    for table in ("Appliance", "Template"):
        fields = schema["$defs"][table]["properties"]
        kinds = [kind.name for kind in CATALOG.kinds]
        if "kind" in fields:
            fields["kind"] = {"anyOf": [{"enum": kinds}, fields["kind"]]}
        for field in fields.keys() & set(_OF_KEYS):
            fields[field] = {**fields[field], "items": keys}
    allow = schema["$defs"]["Write"]["properties"]["allow"]
    allow["items"] = {"anyOf": [{"enum": settings}, {"type": "string"}]}
    return {"$schema": "http://json-schema.org/draft-07/schema#", **schema, "title": "A profile of a target"}


def render_profile_schema() -> str:
    """The schema as text with a newline at its end."""
    return json.dumps(profile_schema(), indent=2, ensure_ascii=False) + "\n"
