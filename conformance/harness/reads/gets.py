"""The GET requests of the document, and the words for keys and haIds that do not exist."""

import hashlib
import string
from functools import lru_cache
from urllib.parse import quote

from msgspec.structs import replace

from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.exchange import Purpose
from conformance.checks.groups import MADE_AGAIN, Group
from conformance.checks.view import View
from conformance.harness.steps import Ask
from conformance.harness.wire.messages import Wanted
from conformance.profiles.sections import ListShape

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
    return read(seen, key, segment or seen.catalog.entries[key].segment, group, "repeat")


def listing(seen: View, segment: str, shape: ListShape, group: Group) -> Ask:
    """A GET of a declared list."""
    path = shape.path.replace("{ha_id}", quote(seen.appliance.ha_id, safe=""))
    return Ask("list", group, seen.appliance.ha_id, "*", segment, Wanted(path))


def shared_answers(seen: View, key: str) -> list[Answer]:
    """The shared reads of a key: none if it was not asked, two for a contested status."""
    segments = seen.catalog.entries[key].segments
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
