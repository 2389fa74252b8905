"""What a run asks for, and the steps that a procedure may take: reads of the document, writes, and hooks.

The document shows the reads. What it does not show is worded by the profile: writes, and the hooks of a test
bench. A procedure of reads yields its steps, and is given what came of each.
"""

import hashlib
import json
import string
from collections.abc import Collection, Generator, Iterable, Sequence
from functools import lru_cache
from typing import TypeAlias, TypeVar
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.loader import CATALOG
from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.exchange import Purpose, Remark
from conformance.checks.groups import MADE_AGAIN, Group
from conformance.checks.view import View
from conformance.harness.wire.messages import Wanted
from conformance.model.couplings import write_controllers_of
from conformance.model.state_table import SHOWING_WHO_ACTS
from conformance.profiles.sections import Hook, ListShape


class Ask(Struct, frozen=True):
    """One request of a run: whose, what for, and what to send; `value` is what a write is to write.

    `lane` is the haId of the appliance whose procedure asks; empty where that is `ha_id` itself. `also` are
    the further procedures that the answer is for. For one that `may_be_known`, a read does that was made
    since anything was written that may move it.
    """

    purpose: Purpose
    group: Group | None
    ha_id: str
    key: str
    segment: str
    wanted: Wanted
    value: JsonValue = None
    lane: str = ""
    also: tuple[Group, ...] = ()
    may_be_known: bool = False


_RESOLUTION_S = 0.001


class Pause(Struct, frozen=True):
    """Nothing is sent for this procedure for so many seconds."""

    seconds: float

    @property
    def lasts_s(self) -> float:
        """How long it is made: so that the times of a ledger, which are in milliseconds, show all of it."""
        return self.seconds + _RESOLUTION_S if self.seconds else 0.0


Result = TypeVar("Result")
Part: TypeAlias = Generator[Ask | Pause | Remark, Answer, Result]
"""A part of a procedure, for `yield from`; its result goes to the procedure.

The answer is sent into the generator after an `Ask`, None after any other step.
"""
Procedure: TypeAlias = Part[object]
"""A part that stands by itself."""


_PREFIX = "/api/homeappliances/"
LAGGING_READS = 2
"""How often a key is read before what it shows is taken for what is there, where nobody has written it."""


def read(seen: View, key: str, segment: str, group: Group | None = None, purpose: Purpose = "read") -> Ask:
    """A GET of `key` under `segment`; on a connection of its own if it makes a finding again."""
    path = path_of(seen.appliance.ha_id, segment, with_maker(key, seen.maker))
    wanted = Wanted(path, fresh=group is not None and group.kind in MADE_AGAIN)
    return Ask(purpose, group, seen.appliance.ha_id, key, segment, wanted)


def reread(seen: View, key: str, group: Group, segment: str = "") -> Ask:
    """A GET of `key` that a procedure makes; under the key's own segment unless one is given."""
    return read(seen, key, segment or CATALOG.entries[key].segment, group, "repeat")


def listing(seen: View, segment: str, shape: ListShape, group: Group) -> Ask:
    """A GET of a declared list."""
    path = shape.path.replace("{ha_id}", quote(seen.appliance.ha_id, safe=""))
    return Ask("list", group, seen.appliance.ha_id, "*", segment, Wanted(path))


def shared_answers(seen: View, key: str) -> list[Answer]:
    """The shared reads of a key: none if it was not asked, two for a contested status."""
    segments = CATALOG.entries[key].segments
    return [answer for segment in segments if (answer := seen.read(key, segment))]


def apart(ask: Ask, *, fresh: bool = True) -> Ask:
    """The same request on a connection of its own, where it is to be `fresh`."""
    return replace(ask, wanted=replace(ask.wanted, fresh=ask.wanted.fresh or fresh))


@lru_cache(maxsize=4_096)  # a procedure reads the same keys again and again
def path_of(ha_id: str, segment: str, key: str, prefix: str = _PREFIX) -> str:
    """The path of the document below base_url, each part encoded once (lines 8, 20, 146, 147)."""
    return f"{prefix}{quote(ha_id, safe='')}/{segment}/{quote(key, safe='')}"


def nonce(seed: str, shape: str) -> str:
    """An unused word, the same for the same seed, with letters and digits where `shape` has them."""
    digest = hashlib.sha256(seed.encode()).digest()
    alphabets = {"a": string.ascii_lowercase, "A": string.ascii_uppercase, "0": string.digits}
    kinds = ["A" if c.isupper() else "a" if c.isalpha() else "0" if c.isdigit() else "" for c in shape]
    return "".join(
        alphabets[kind][digest[index % len(digest)] % len(alphabets[kind])] if kind else shape[index]
        for index, kind in enumerate(kinds)
    )


_IN_ITS_PLACE = "value-as-text"
"""Stands in a body until the text of a value takes its place."""


def write(  # noqa: PLR0913, PLR0917  what a write consists of
    seen: View, group: Group, key: str, value: JsonValue, segment: str = "settings", text: str = ""
) -> Ask:
    """A write of `value`, spelled as on the wire; with `purpose="restore"`, one that puts back.

    Where JSON has several spellings of a value, `text` is the one that stands in the body.

    Raises:
        LookupError: when the profile declares no writing, which a run finds out before.
    """
    is_spelled_anew = CATALOG.entries[key].type == "Integer" and not text
    if is_spelled_anew and isinstance(value, float) and value.is_integer():
        value = int(value)  # read as 5.0, which is 5 (interpretation I-5): who shows the one need not take it
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


def locking_reads(seen: View, keys: Sequence[str], group: Group) -> tuple[Ask, ...]:
    """Reads of the served keys that may lock one of `keys`, or show that somebody else acts."""
    needed = {controller for key in keys for controller in write_controllers_of(key)}
    return reads_of(seen, [key for key in CATALOG.entries if key in needed.difference(keys)], group)


def acting_reads(seen: View, group: Group) -> tuple[Ask, ...]:
    """Reads of what shows whether somebody else, or a program, acts on the appliance now."""
    return reads_of(seen, SHOWING_WHO_ACTS, group)


def unread(
    seen: View, group: Group, told: Sequence[Answer], state: str, alike: Collection[str] = ()
) -> tuple[Ask, ...]:
    """Reads of what is not among those `told` since `state` was written, but of none that shows who acts.

    They are of all statuses that give a value, and of all settings; where others are `alike`, which bring the
    appliance into a state of the same kind, of the settings that are its share.
    """
    written = max((number for number, one in enumerate(told) if one.is_write and one.key == state), default=0)
    known = {one.place for one in told[written:]}
    among = [key for key in seen.tried if key in alike and seen.value(key) is not None] or [state]
    settings = seen.learned.settings[among.index(state) :: len(among)]
    found = (place for place, read in seen.reads.items() if read.has_value and place not in known)
    wanted = [(segment, key) for segment, key in found if ".Status." in key or key in settings]
    return tuple(reread(seen, key, group, segment) for segment, key in wanted if key not in SHOWING_WHO_ACTS)


def reads_of(seen: View, keys: Iterable[str], group: Group) -> tuple[Ask, ...]:
    """Reads of some keys, those that give a value."""
    served = (key for key in keys if key in seen.tried and seen.value(key) is not None)
    return tuple(reread(seen, key, group) for key in served)
