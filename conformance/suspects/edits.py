"""What may be wrong in a profile: a row for each kind of edit, with what was seen that speaks for it.

Each row is given a run and yields edits. None is made up: its value stands in what the target has answered,
or is what the field says if it is left out. Whether an edit explains anything, only judging again shows.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import filter as named_by
from typing import Any, TypeAlias, cast, get_args

from msgspec import Struct

from catalog.keys import POWER_STATE, short_name
from catalog.loader import CATALOG
from catalog.maker import STAND_IN, maker_of, with_maker
from catalog.model import Segment
from conformance.checks.exchange import Exchange
from conformance.checks.reads.enumerations import maker_is_doubtful
from conformance.checks.view import View
from conformance.harness.answers.calibration import guess_of
from conformance.harness.answers.members import members_shown
from conformance.profiles.model import PowerName, Profile
from conformance.profiles.toml import dumped
from conformance.profiles.validation import dump_profile
from conformance.records.results import Suspect
from conformance.runs.notices import listed_keys

_OF_MAKER = frozenset(
    {*CATALOG.entries, *(value.key for one in CATALOG.enumerations.values() for value in one.values)}
)
"""The keys and the enumeration values of the document."""
Place: TypeAlias = tuple[str, ...]


class Edit(Struct, frozen=True):
    """One field of a profile otherwise.

    Attributes:
        place: the tables that lead to the field, and its name; of `[[appliance]]`, the haId.
        value: what it says then; None where it is left out.
        is_shown: whether the answers themselves show it. Then judging again cannot, as the requests were made
            by what the profile says.
    """

    place: Place
    value: object
    is_shown: bool = False

    @property
    def is_claim(self) -> bool:
        """Whether it takes back what is said of an appliance: that may be right, and the appliance wrong."""
        return self.place[0] == "appliance" and self.place[-1] not in {"kind", "vendor"}

    @property
    def ha_id(self) -> str:
        """The appliance that it is about; empty where it is about the target."""
        return self.place[1] if self.place[0] == "appliance" else ""

    @property
    def field(self) -> str:
        """The field as messages name it: `answer.min`, `appliance.power_states`."""
        return ".".join((self.place[0], *self.place[2:]) if self.ha_id else self.place)

    def applied(self, data: Any) -> Any:
        """Profile data with the edit; the data themselves stay as they are."""
        return _with(data, self.place, self.value)

    def suspected_in(self, data: Mapping[str, Any]) -> Suspect:
        """The suspect that it is in a profile that is plain data; what it explains is left open."""
        table: Any = data
        for name in self.place[:-1]:
            rows = cast("Iterable[Any]", table)
            table = (
                next(row for row in rows if row["ha_id"] == name)
                if isinstance(table, list | tuple)
                else table.get(name, {})
            )
        before = table.get(self.place[-1])
        was = "" if before is None else json.dumps(before, ensure_ascii=False)
        return Suspect(self.field, self.ha_id, self._toml(before), was, shown=self.is_shown)

    def _toml(self, before: object) -> str:
        """What to write instead: a line of TOML, or what to take out."""
        name, value = self.place[-1], self.value
        if value is None:
            return f"{name} left out"
        if isinstance(value, list) and isinstance(before, list | tuple):
            kept, had = cast("list[object]", value), cast("Sequence[object]", before)
            if all(one in had for one in kept):
                return f"{name} without {', '.join(str(one) for one in had if one not in kept)}"
        return dumped({name: cast("object", value)}).strip()


def _with(data: Any, place: Place, value: object) -> Any:
    name, *rest = place
    if isinstance(data, list):
        rows = cast("list[Any]", data)
        return [_with(row, tuple(rest), value) if row["ha_id"] == name else row for row in rows]
    table: dict[Any, Any] = dict(data)
    if rest:
        table[name] = _with(table.get(name, {}), tuple(rest), value)
    elif value is None:
        table.pop(name, None)
    else:
        table[name] = value
    return table


class Seen(Struct, frozen=True):
    """A profile, what was asked with it, and what was seen of each appliance, by haId."""

    profile: Profile
    exchanges: Sequence[Exchange]
    views: Mapping[str, View]


Row: TypeAlias = Callable[[Seen], Iterator[Edit]]


def value_places(run: Seen) -> Iterator[Edit]:
    """Another place of the value: the one that calibration finds in the shared reads."""
    declared = run.profile.answer
    if declared.value is None:
        return
    reads = (one for one in run.exchanges if one.purpose == "read")
    guess = guess_of(reads, run.profile)
    for place in (*guess.places("settings")[:1], *guess.candidates):
        if place != declared.value:
            yield Edit(("answer", "value"), place)
    place = guess.status if guess.status is not None else guess.value
    if place is None or place == declared.under("status").value:
        return
    if declared.status:
        yield Edit(("answer", "status", "value"), place)
    elif guess.status is not None:
        yield Edit(("answer", "status"), {**dump_profile(run.profile)["answer"], "value": place})


def member_places(run: Seen) -> Iterator[Edit]:
    """Another place of what stands beside the value, where members look like it."""
    apart = run.profile.answer.status is not None
    segments: tuple[Segment | None, ...] = ("settings", "status") if apart else (None,)
    for segment in segments:
        pointers = run.profile.answer.under(segment or "settings")
        place = ("answer", "status") if segment == "status" else ("answer",)
        for field, guess in members_shown(run.views.values(), segment).items():
            declared = getattr(pointers, field)
            if declared is not None and declared not in guess.places:
                yield from (Edit((*place, field), other) for other in guess.places[:2])


def makers(run: Seen) -> Iterator[Edit]:
    """The name with which values and listed keys begin, where no key of the declared maker gave a value."""
    told: list[Edit] = []
    for ha_id, seen in run.views.items():
        if not maker_is_doubtful(seen):
            continue
        values = [answer.value for answer in seen.reads.values() if answer.has_value]
        texts = [*listed_keys(seen), *(value for value in values if isinstance(value, str))]
        names = [maker_of(text) for text in texts if f"{STAND_IN}.{text.partition('.')[2]}" in _OF_MAKER]
        for maker, _ in Counter(name for name in names if name != seen.maker).most_common(1):
            is_own = seen.appliance.vendor is not None
            place: Place = ("appliance", ha_id, "vendor") if is_own else ("target", "vendor")
            edit = Edit(place, maker, is_shown=True)
            if edit not in told:
                told.append(edit)
                yield edit


def kinds(run: Seen) -> Iterator[Edit]:
    """Another kind that has every key which was served, where the declared one has not."""
    own = {kind.name: {entry.key for entry in CATALOG.of_kind(kind.name)} for kind in CATALOG.kinds}
    for ha_id, seen in run.views.items():
        served = seen.learned.served
        if served and not served <= own.get(seen.appliance.kind, set(CATALOG.entries)):
            yield from (
                Edit(("appliance", ha_id, "kind"), kind) for kind, keys in own.items() if served <= keys
            )


def claims(run: Seen) -> Iterator[Edit]:
    """A key that is claimed and refused like one that does not exist; one that is denied and served.

    Where a list of the target names it, the target itself says that it is there.
    """
    for ha_id, seen in run.views.items():
        own = seen.appliance
        served, listed = seen.learned.served, set(listed_keys(seen))
        if not served:
            continue
        refused = {
            key
            for (_, key), answer in seen.reads.items()
            if answer.signature in seen.learned.signatures
            and all((segment, key) in seen.reads for segment in CATALOG.entries[key].segments)
            and key not in served
            and with_maker(key, seen.maker) not in listed
        }
        for field, said, wrong in (("supports", own.supports, refused), ("lacks", own.lacks, served)):
            if not wrong.isdisjoint(said):
                yield Edit(("appliance", ha_id, field), [name for name in said if name not in wrong])
        by_glob = {key for key in refused if seen.claim(key) == "yes"}.difference(own.supports)
        if by_glob:
            lacks = [*own.lacks, *(key for key in CATALOG.entries if key in by_glob)]
            yield Edit(("appliance", ha_id, "lacks"), lacks)


def writables(run: Seen) -> Iterator[Edit]:
    """A setting of which no write is taken, and whose answer does not say that it can be written."""
    for ha_id, seen in run.views.items():
        tried: dict[str, list[bool]] = {}
        for answer in seen.told:
            if answer.exchange.purpose == "write":
                tried.setdefault(answer.exchange.key, []).append(answer.is_acknowledged)
        refused = {key for key, taken in tried.items() if not any(taken) and not _says_writable(seen, key)}
        names = seen.appliance.writable
        if globs := [glob for glob in names if named_by(refused, glob)]:
            taken = {key for glob in globs for key in named_by(tried.keys() - refused, glob)}
            kept = [glob for glob in names if glob not in globs]
            kept += [key for key in CATALOG.entries if key in taken]
            yield Edit(("appliance", ha_id, "writable"), kept)


def _says_writable(seen: View, key: str) -> bool:
    answer = seen.read(key, "settings")
    return answer is not None and answer.shown.access_words is not None and not answer.shown.is_read_only


def listed_power_states(run: Seen) -> Iterator[Edit]:
    """The power states that the answer lists, and the one that it is in."""
    for ha_id, seen in run.views.items():
        declared, answer = seen.appliance.power_states, seen.read(POWER_STATE, "settings")
        if declared is None or answer is None or not answer.has_value:
            continue
        names = {short_name(str(value)) for value in (*answer.shown.listed, answer.value)}
        states = [name for name in get_args(PowerName) if name in names]
        if answer.shown.listed and set(states) != set(declared):
            yield Edit(("appliance", ha_id, "power_states"), states)


def facts(run: Seen) -> Iterator[Edit]:
    """What is said of one key left out, and the other answer to whether there is a camera."""
    for ha_id, seen in run.views.items():
        own = seen.appliance
        for field, names in (("enum_subset", own.enum_subset), ("step", own.step)):
            yield from (Edit(("appliance", ha_id, field, name), None) for name in names)
        if own.streaming_camera is not None:
            yield Edit(("appliance", ha_id, "streaming_camera"), not own.streaming_camera)
        if own.alias_of:
            yield Edit(("appliance", ha_id, "alias_of"), None)


def defaults(run: Seen) -> Iterator[Edit]:
    """A field left out, which then has its default."""
    said = dump_profile(run.profile)
    for table in ("http", "paths", "interpretation"):
        yield from (Edit((table, field), None) for field in said.get(table, ()))


ROWS: tuple[Row, ...] = (
    value_places,
    makers,
    member_places,
    kinds,
    defaults,
    facts,
    listed_power_states,
    writables,
    claims,
)
"""The kinds of edits, the likeliest first."""
