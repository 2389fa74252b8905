"""What a conforming server answers to a read, made by the reference, in the shape that a profile declares.

Beside a finding it shows what the answer of the target should have looked like: the value, and what else of a
body the clause is about. Which value it is depends on nothing but the reference.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from catalog.maker import with_maker
from catalog.model import Clause
from conformance.harness.answers.decoding import find
from conformance.harness.steps import path_of
from conformance.model.json_values import NOTHING

OF_ONE_ANSWER = frozenset({"ADDR", "CAT", "ENUM", "PATH", "RANGE", "READ", "TYPE", "UNIT"})
"""The sections of clauses about what one answer shows; of others, no value is good by itself."""
_OK = 200


def good_answer(clause: Clause, members: Mapping[str, object], places: Mapping[str, str]) -> str:
    """A body as JSON in a line; empty where there is no value, or nobody knows its place.

    Args:
        clause: what is judged: it names the members beside the value.
        members: what a conforming server shows, by the fields of [answer].
        places: where a body holds what, by the same fields.
    """
    beside = (*clause.shows, *clause.shows_one_of, *clause.shows_unless_common)
    shown = [field for field in ("value", *beside) if field in members and field in places]
    body: Any = None
    for field in shown:
        body = _with(body, places[field].split("/")[1:], members[field])
    return json.dumps(body, ensure_ascii=False) if "value" in shown else ""


@lru_cache(maxsize=512)
def good_members(kind: str, key: str, segment: str, maker: str) -> Mapping[str, object]:
    """What the reference answers to a read, by the fields of [answer]; nothing where it has no such key.

    Of its appliances the first one of the kind is asked that has the key, or else the first of all. The key
    is spelled with Vendor, the answer with the maker's name.
    """
    from conformance.reference.service import Service  # noqa: PLC0415  of no use before something was found
    from conformance.reference.wire import Incoming  # noqa: PLC0415

    service = type("Good", (Service,), {"vendor": maker})()
    having = [spec for spec in service.fleet if key in spec.values]
    for spec in sorted(having, key=lambda spec: spec.kind != kind)[:1]:
        reply = service.handle(Incoming("GET", path_of(spec.ha_id, segment, with_maker(key, maker))))
        if reply.status == _OK:
            body: object = json.loads(reply.body)
            found = {field: find(body, place) for field, place in service.answer_pointers.items()}
            return {field: member for field, member in found.items() if member is not NOTHING}
    return {}


def _with(body: object, steps: Sequence[str], member: object) -> object:
    """A body that holds a member at a place, too; a step that is 0 is the first item of a list."""
    if not steps:
        return member
    first, *rest = steps
    if first == "0":
        items = cast("list[object]", body) if isinstance(body, list) else [None]
        return [_with(items[0], rest, member)]
    table = cast("dict[str, object]", body) if isinstance(body, dict) else {}
    name = first.replace("~1", "/").replace("~0", "~")
    return {**table, name: _with(table.get(name), rest, member)}
