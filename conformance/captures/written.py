"""What a recorded write was to write: the value that its body holds, wherever that stands.

How a setting is written, the document does not show (line 151).
"""

import json
from typing import Final

from pydantic import JsonValue

from conformance.harness.answers.pointers import leaves
from conformance.profiles.model import Profile

_HERE: Final = "{value}"


def written_value(text: str | None, profile: Profile) -> JsonValue:
    """The value in the text of a write, where the profile declares it, else where it usually is.

    It is None where that cannot be told: no write is of null.
    """
    try:
        held = leaves(json.loads(text or "null"))
    except (ValueError, RecursionError):
        return None
    declared = leaves(profile.write.body) if profile.write else {}
    place = next((pointer for pointer, word in declared.items() if word == _HERE), None)
    if place is None:
        usual = [pointer for pointer in held if pointer in {"", "/value"} or pointer.endswith("/value")]
        place = usual[0] if len(usual) == 1 else None
    value = held.get(place) if place is not None else None
    return value if isinstance(value, str | int | float | bool) else None
