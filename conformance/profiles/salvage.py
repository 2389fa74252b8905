"""Mistakes in the fields of a profile: how each is told, and what is left of it without them.

So the rest can be checked as well.
"""

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any, TypeAlias, cast, get_args

from pydantic import BaseModel, ValidationError

from conformance.profiles.fields import Problem, nearest
from conformance.profiles.model import Profile

Location: TypeAlias = tuple[int | str, ...]

_STAND_INS = {
    "name": "?",
    "base_url": "http://localhost",
    "token_url": "http://localhost",
    "kind": "?",
    "method": "PUT",
    "path": "/{ha_id}/{key}/{seconds}/{inserted}",
    "body": "{value}",
}
"""For fields that a profile needs: values about which nothing can be said."""
_WORDS = {
    "missing": "is missing",
    "tuple_type": "must be a list",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "float_type": "must be a number",
    "string_type": "must be a text",
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "must be a table"),
    **dict.fromkeys(("date_type", "date_from_datetime_parsing"), "must be a date, such as 2027-01-31"),
    "date_from_datetime_inexact": "must be a date alone, such as 2027-01-31",
    "too_short": "must not be empty",
    "string_too_short": "must not be empty",
    "finite_number": "must be a finite number",
    "invalid-json-value": "must be a text, a number, true, false, a list or a table",
}
_PATTERNS = {
    "^/": "must begin with '/'",
    r"^\S+$": "must be one word",
    r"^[^./\s]+$": "must be one word without '.' and '/'",
    r"^[^\s/]+/[^\s/]": "must be a media type, such as 'application/json'",
}
"""What the patterns of fields ask for."""
_EXAMPLES = {"Refusal": " such as { status = 409 }"}
"""What a table looks like that others may take for a plain value."""
_SUBJECT = re.compile(r"^(Input|String|Tuple|Dictionary) should ")
_MOST_ROUNDS = 3


def salvaged(data: Mapping[str, Any], error: ValidationError) -> Profile | None:
    """The profile that `data` describes without the fields `error` is about; None when too little is left."""
    rest = deepcopy(dict(data))
    for _ in range(_MOST_ROUNDS):
        for location in dict.fromkeys(place_of(details, rest) for details in mistakes(error)):
            _drop(rest, location)
        try:
            return Profile.model_validate(rest)
        except ValidationError as another:
            error = another
    return None


def mistakes(error: ValidationError) -> list[Any]:
    """The mistakes that pydantic found, without lists called too short because of mistakes in them."""
    found = error.errors()
    within = {details["loc"][:depth] for details in found for depth in range(len(details["loc"]))}
    return [details for details in found if details["type"] != "too_short" or details["loc"] not in within]


def problem_of(details: Any, place: str, model: type[BaseModel]) -> Problem:
    """A mistake that pydantic found in data of a model, with what may have been meant; `place` names it."""
    text = _words_of(details, model)
    if details["type"] == "extra_forbidden":
        return Problem(place, "no such field", nearest(str(details["loc"][-1]), _fields_at(details, model)))
    if details["type"] == "literal_error":
        near = nearest(str(details["input"]), re.findall(r"'([^']*)'", text), 0.5)
        return Problem(place, f"{text}, not {_in_toml(details['input'])}", near)
    told = (
        details["type"] in {"missing", "value_error"} or details["loc"][0] == "auth"
    )  # what stands in [auth] is not repeated
    return Problem(place, text if told else f"{text} (found {_in_toml(details['input'])})")


def dotted(location: Location) -> str:
    """A place within a table as it is told: `.samples.map_name[0]`."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)


def _fields_at(details: Any, model: type[BaseModel]) -> list[str]:
    """The names of the fields that there are where a mistake is."""
    for part in details["loc"][:-1]:
        if isinstance(part, str):
            held = model.model_fields[part].annotation
            types = (held, *get_args(held))
            model = next(one for one in types if isinstance(one, type) and issubclass(one, BaseModel))
    return [field.alias or name for name, field in model.model_fields.items()]


def _words_of(details: Any, model: type[BaseModel]) -> str:
    """What is wrong, in the words of TOML and not of Python."""
    told = str(details["msg"]).removeprefix("Value error, ")
    if details["type"] == "tuple_type" and len(details["loc"]) == 1 and model is Profile:
        return f"must be a list of tables: write [[{details['loc'][0]}]]"
    asked = details.get("ctx", {})
    words = _PATTERNS.get(asked.get("pattern")) or _WORDS.get(details["type"]) or _SUBJECT.sub("must ", told)
    return words + _EXAMPLES.get(asked.get("class_name"), "")


def _in_toml(value: object) -> str:
    """A value that was found, as TOML would have it; `null` may stand in a fleet of NDJSON."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return f"{{{', '.join(f'{name} = {_in_toml(member)}' for name, member in members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_in_toml, cast('list[object]', value)))}]"
    if isinstance(value, str):
        return f"'{value}'" if value.isprintable() and "'" not in value else json.dumps(value)
    return "null" if value is None else str(value)


def place_of(details: Any, data: object) -> Location:
    """Where in the file a mistake is: pydantic adds the alternatives it has tried for a value."""
    location: Location = details["loc"]
    if details["type"] == "missing":
        return location
    for index, part in enumerate(location):
        if isinstance(data, dict) and part in data:
            data = cast("dict[object, object]", data)[part]
        elif isinstance(data, list) and isinstance(part, int):
            data = cast("list[object]", data)[part]
        else:
            return location[: index or None]
    return location


def _drop(data: dict[str, Any], location: Location) -> None:
    """Removes the field at `location`; for a missing one removes its table, or puts a stand-in."""
    node: Any = data
    table, field = data, location[0]
    for part in location:
        if isinstance(node, dict):
            if part not in node and part not in {*_STAND_INS, "ha_id"}:
                break
            table, field = cast("dict[str, Any]", node), part
            node = table.get(str(part))
        elif isinstance(node, list) and isinstance(part, int):
            node = cast("list[Any]", node)[part]
    table.pop(str(field), None)
    if field == "ha_id":
        table["ha_id"] = "-".join(map(str, location))
    elif field in _STAND_INS:
        table[str(field)] = _STAND_INS[str(field)]
