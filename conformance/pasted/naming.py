"""What bodies of any shape name: appliances, keys, the maker, the kind. Nothing is judged by it."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import cast

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.maker import STAND_IN
from conformance.profiles.kinds import kind_called

_MOST = 2_000
"""Members that are looked at in a body."""
_DEEPEST = 8
_DOTS = 3
"""Every key and every value of the document has so many dots."""
_IDS = ("haid", "homeapplianceid", "applianceid", "deviceid", "id", "identifier", "serial", "serialnumber")
"""How a member with the haId is called, in small letters without separators, the likeliest first."""
_STATES = frozenset({"connected", "online", "reachable", "isconnected", "isonline", "available"})
_KINDS = frozenset({"type", "kind", "appliancetype", "devicetype", "category"})


class Named(Struct, frozen=True):
    """An appliance that a body names: its haId, the word for its kind, and whether it is said to be away."""

    ha_id: str
    word: str = ""
    is_away: bool = False


def keys_in(bodies: Iterable[object]) -> tuple[frozenset[str], str]:
    """The keys of the catalog that bodies name, spelled with Vendor, and the maker's name in most of them.

    The values of enumerations tell the maker where no key does; it is empty where nothing does.
    """
    texts = [text for body in bodies for text in _texts(body)]
    members = {value.key for one in CATALOG.enumerations.values() for value in one.values}
    makers: Counter[str] = Counter()
    of_values: Counter[str] = Counter()
    found: set[str] = set()
    for text in texts:
        first, _, rest = text.partition(".")
        stands = f"{STAND_IN}.{rest}"
        if stands in CATALOG.entries:
            makers[first] += 1
            found.add(stands)
        elif text in CATALOG.entries:
            found.add(text)
        elif stands in members:
            of_values[first] += 1
    maker = next((name for counted in (makers, of_values) for name, _ in counted.most_common(1)), "")
    return frozenset(found), maker


def appliances_in(body: object) -> list[Named]:
    """The appliances that a body lists, in its order; none where it lists nothing that looks like some."""
    for items in _lists_in(body):
        found = [named for ha_id, item in items if (named := _named(ha_id, item)) is not None]
        if found and len({one.ha_id for one in found}) == len(items):
            return found
    return []


def word_for_kind(body: object) -> str:
    """The word of a body for the kind of the one appliance that it is about; empty where it has none."""
    for node in _nodes(body):
        for name, value in cast("dict[str, object]", node if isinstance(node, dict) else {}).items():
            if _plain(name) in _KINDS and isinstance(value, str) and value.strip():
                return value.strip()
    return ""


def kind_of(keys: Collection[str]) -> tuple[str, int]:
    """The kind that alone has some of these keys, and how many; empty where none has, or several have."""
    alone = Counter(
        entry.kinds[0] for key in keys for entry in [CATALOG.entries[key]] if len(entry.kinds) == 1
    )
    return next(iter(alone.items())) if len(alone) == 1 else ("", 0)


def _lists_in(body: object) -> Iterator[list[tuple[str, object]]]:
    """The lists of a body, and its objects whose members are all objects: what may list appliances."""
    for node in _nodes(body):
        if isinstance(node, list) and node:
            yield [("", item) for item in cast("list[object]", node)]
        elif isinstance(node, dict) and node:
            members = cast("dict[str, object]", node)
            if all(isinstance(value, dict) for value in members.values()):
                yield list(members.items())


def _named(name: str, item: object) -> Named | None:
    """The appliance that an item of a list is, or that a member of this name describes."""
    if isinstance(item, str):
        return Named(item) if not name and _may_be_id(item) else None
    if not isinstance(item, dict):
        return None
    described = cast("dict[str, object]", item)
    members = {_plain(key): value for key, value in described.items()}
    ids = (str(members[key]) for key in _IDS if isinstance(members.get(key), str | int))
    ha_id = next(filter(_may_be_id, ids), name)
    words = [text for text in members.values() if isinstance(text, str)]
    word = next((text for text in words if kind_called(text)), "")
    word = word or str(next((members[name] for name in _KINDS if name in members), ""))
    is_listed = bool(word) or not _STATES.isdisjoint(members) or any(key in members for key in _IDS[:3])
    if not ha_id or not is_listed:
        return None
    return Named(ha_id, word, is_away=any(members.get(state) is False for state in _STATES))


def _may_be_id(text: str) -> bool:
    """Whether a text may be a haId, and is no key or value of the document."""
    return bool(text) and not any(part.isspace() or part == "/" for part in text) and text.count(".") < _DOTS


def _texts(body: object) -> Iterator[str]:
    """The texts of a body, and the names of its members."""
    for node in _nodes(body):
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            yield from cast("Mapping[str, object]", node)


def _nodes(body: object) -> Iterator[object]:
    """What a body is made of, from the outside in, as far as no list of a few appliances goes."""
    waiting: list[tuple[object, int]] = [(body, 0)]
    looked = 0
    while waiting and looked < _MOST:
        (node, depth), looked = waiting.pop(0), looked + 1
        yield node
        if depth < _DEEPEST and isinstance(node, dict | list):
            inside = (
                cast("dict[str, object]", node).values()
                if isinstance(node, dict)
                else cast("list[object]", node)
            )
            waiting += [(one, depth + 1) for one in inside]


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")
