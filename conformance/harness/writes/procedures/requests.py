"""Requests that the document does not show, worded by the profile: writes, and hooks of a test bench."""

import json
from urllib.parse import quote

from pydantic import JsonValue

from catalog.maker import with_maker
from conformance.checks.groups import Group
from conformance.checks.view import View
from conformance.harness.steps import Ask
from conformance.harness.wire.messages import Wanted
from conformance.profiles.sections import Hook

_IN_ITS_PLACE = "value-as-text"
"""Stands in a body until the text of a value takes its place."""


def write(seen: View, group: Group, key: str, value: JsonValue, segment: str = "settings") -> Ask:
    """A write of `value`, spelled as on the wire; with `purpose="restore"`, one that puts back.

    Raises:
        LookupError: when the profile declares no writing, which a run finds out before.
    """
    if seen.catalog.entries[key].type == "Integer" and isinstance(value, float) and value.is_integer():
        value = int(value)  # read as 5.0, which is 5 (interpretation I-5): who shows the one need not take it
    return _written(seen, group, key, value, segment=segment)


def write_text(seen: View, group: Group, key: str, text: str) -> Ask:
    """A write of the value that a JSON text stands for, with that text in the body as it is.

    Raises:
        LookupError: as `write`.
    """
    return _written(seen, group, key, json.loads(text), text=text)


def _written(  # noqa: PLR0913  what a write consists of
    seen: View, group: Group, key: str, value: JsonValue, *, segment: str = "settings", text: str = ""
) -> Ask:
    declared = seen.profile.write
    if declared is None:
        raise LookupError("no [write] in the profile")
    ha_id, wire_key = seen.appliance.ha_id, with_maker(key, seen.maker)
    path = declared.status_path if segment == "status" and declared.status_path else declared.path
    path = path.replace("{ha_id}", quote(ha_id, safe="")).replace("{key}", quote(wire_key, safe=""))
    words: dict[str, JsonValue] = {"key": wire_key, "ha_id": ha_id, "value": _IN_ITS_PLACE if text else value}
    body = json.dumps(_filled(declared.body, words), ensure_ascii=False)
    if text:
        body = body.replace(f'"{_IN_ITS_PLACE}"', text).replace(_IN_ITS_PLACE, text)
    wanted = Wanted(path, declared.method, (("Content-Type", declared.media_type),), body)
    return Ask("write", group, ha_id, key, segment, wanted, value)


def operate(seen: View, group: Group, name: str, hook: Hook, **words: JsonValue) -> Ask:
    """A request to the test bench: `hook` with its placeholders filled; `name` is its key in the ledger."""
    ha_id = seen.appliance.ha_id
    known: dict[str, JsonValue] = {"ha_id": ha_id, **words}
    path = hook.path
    for word, value in known.items():
        path = path.replace(f"{{{word}}}", quote(str(value), safe=""))
    body = None if hook.body is None else json.dumps(_filled(hook.body, known), ensure_ascii=False)
    headers = () if body is None else (("Content-Type", "application/json"),)
    return Ask("hook", group, ha_id, name, "", Wanted(path, hook.method, headers, body))


def _filled(template: JsonValue, words: dict[str, JsonValue]) -> JsonValue:
    """`template` with its placeholders filled; one that stands alone becomes the JSON value itself."""
    if isinstance(template, dict):
        return {name: _filled(value, words) for name, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, words) for value in template]
    if not isinstance(template, str):
        return template
    for word, value in words.items():
        if template == f"{{{word}}}":
            return value
        if isinstance(value, str):
            template = template.replace(f"{{{word}}}", value)
    return template
