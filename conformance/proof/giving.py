"""What a profile could say or let a run do beside what it does: by field, as messages name it, or a level.

What is given says no more than that there is something: a mutant has its own truth about it.
"""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from functools import cache
from typing import Any, Final

from catalog.model import LEVELS, Level
from conformance.cases import CATALOG
from conformance.profiles.model import Interpretation, Profile
from conformance.profiles.toml import dumped
from conformance.profiles.validation import dump_profile
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service

OF_LEVEL: Final = "--level "
_MANY: Final = 1_000
_READINGS: Final = tuple(field.alias or name for name, field in Interpretation.model_fields.items())
_FACTS: Final = {
    f"appliance.{name}" for name in ("power_states", "streaming_camera", "online", "enum_subset")
}
"""What is true of an appliance: where it is declared, nothing else can be."""
_OF_A_WORD: Final = {"integer_lexical"}


@cache
def every_gift() -> Mapping[str, object]:
    """Everything that may be given: the value of each field, by its name; a level has none.

    What takes least of a user comes first: of several ways to find a fault, the first is told.

    A field of an appliance is given to all of them. None takes back what a field says, so that its default
    holds.
    """
    told = truthful_profile(Service(), "http://127.0.0.1")
    answer: Any = told["answer"]
    write: Any = told["write"]
    hooks: Any = told["hooks"]
    return {
        "waiver": None,
        f"{OF_LEVEL}write": None,
        "write": write,
        "write.allow": write["allow"],
        "appliance.writable": ["*"],
        "appliance.samples.map_name": ["Ground floor", "First floor"],
        "appliance.samples.custom_color": ["#4a88f8", "#00d1ff"],
        "appliance.power_states": ["On", "Off", "Standby"],
        **{f"answer.{name}": place for name, place in answer.items()},
        f"{OF_LEVEL}power": None,
        "appliance.streaming_camera": True,
        "appliance.online": True,
        "appliance.unattended": True,
        "appliance.enum_subset": {
            entry.key: [value.key for value in CATALOG.enumerations[entry.family].values]
            for entry in CATALOG.of_type("Enumeration")
            if entry.family
        },
        "write.status_path": write["status_path"],
        "write.prepare": True,
        "write.while_busy": True,
        "paths.probe_other_segment": True,
        "power.probe_unlisted": True,
        "list": told["list"],
        "events": told["events"],
        **dict.fromkeys(("pace.generated", "pace.generated_reads", "pace.generated_writes"), _MANY),
        "pace.max_refusals_in_a_row": None,
        "timing.repeat_sample": _MANY,
        "timing.most_tries": None,
        **{f"interpretation.{name}": None if name in _OF_A_WORD else True for name in _READINGS},
        f"{OF_LEVEL}attended": None,
        **{f"hooks.{name}": hook for name, hook in hooks.items()},
    }


def with_given(profile: Profile, fields: Iterable[str]) -> Profile:
    """The profile with fields that it is given, whole tables first.

    What is not to be given adds nothing, such as a level, or how to write without where to.
    """
    gifts, data = every_gift(), deepcopy(dump_profile(profile))
    for field in sorted(field for field in fields if field in gifts and not field.startswith(OF_LEVEL)):
        first, *path = field.split(".")
        if first == "write" and path and "write" not in data:
            continue
        for table in data["appliance"] if first == "appliance" else [data]:
            if field not in _FACTS or path[0] not in table:
                _set(table, path if first == "appliance" else [first, *path], gifts[field])
        if first == "answer" and "status" in data["answer"]:
            _set(data["answer"]["status"], path, gifts[field])
    return Profile.model_validate(data)


def level_with(level: Level, fields: Iterable[str]) -> Level:
    """The level of a run that is given some fields: the highest that is among them."""
    fields = set(fields)
    given = [LEVELS.index(one) for one in LEVELS if f"{OF_LEVEL}{one}" in fields]
    return LEVELS[max([LEVELS.index(level), *given])]


def line_of(field: str) -> str:
    """What a user would write to give a field, with the value that a server of the suite has there."""
    value = every_gift().get(field)
    if field.startswith(OF_LEVEL):
        return field
    table, _, name = field.rpartition(".")
    if field == "waiver":
        return "without [[waiver]]"
    if isinstance(value, dict) or not table:
        return f"[{field}]"
    heading = f"[[{table}]]" if table == "appliance" else f"[{table}]"
    return f"{heading} {dumped({name: value}).strip()}" if value is not None else f"{heading} without {name}"


def _set(table: dict[str, Any], path: list[str], value: object) -> None:
    *tables, name = path
    for one in tables:
        table = table.setdefault(one, {})
    if value is None:
        table.pop(name, None)
    else:
        table[name] = deepcopy(value)
