"""ADDR: names that nothing has yield no value; more around a name, or another spelling, selects nothing else.

ADDR-UNKNOWNKEY, ADDR-HAID, ADDR-SPECIFIC and ADDR-KEY-LAST (lines 8, 146, 147; I-9).
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.generated.mutations import METHODS, Relation, RequestPart
from conformance.checks.generated.probes import (
    BUDGET,
    NONE_ABOUT_ENTRIES,
    TWICE,
    Probe,
    gives_value,
    is_of_an_entry,
    probes_of,
    require_looks,
    require_none,
)
from conformance.checks.permission import Omission
from conformance.checks.premise import require_trust
from conformance.checks.reads.enumerations import names_entry, other_family
from conformance.checks.reads.support import value_after_forbidden
from conformance.checks.verdict import Deviation, Inconclusive, NotTried
from conformance.checks.view import View, segment_of
from conformance.model.json_values import quoted, same


def assert_generated_answer_is_specific(_case: Case, seen: View) -> str:
    """What a generated request of an entry gives is no value of another entry's enumeration."""
    return _of_this_entry(seen, other_family, "a value of")


def assert_generated_answer_shows_its_key(_case: Case, seen: View) -> str:
    """The body of a generated request of an entry shows no other entry's key."""
    return _of_this_entry(seen, _other_key, "the body of")


def require_own_appliance(seen: View) -> None:
    """Raises where a generated request of an appliance is answered with the value of another one.

    A single Boolean may be the same by chance, so that two entries have to show it, or another value.

    Raises:
        Deviation: when it is.
    """
    shown = [
        probe
        for probe in _of_names(seen)
        if probe.part is not RequestPart.HA_ID and _is_elsewhere(seen, probe)
    ]
    for probe in [] if shown else _perhaps_elsewhere(seen)[:TWICE]:
        probe.want_again(seen)
    entries = {probe.entry.key for probe in shown}
    if len(entries) >= TWICE or any(not isinstance(probe.first.value, bool) for probe in shown):
        probe = min(shown, key=lambda one: isinstance(one.first.value, bool))
        plain, other = probe.plain[-1], probe.elsewhere[-1]
        own = f"gives {quoted(plain.value)}" if plain.has_value else "refuses it"
        raise Deviation(
            f"{probe.words} is answered {quoted(probe.first.value)}, the value of {other.ha_id};"
            f" read plainly, {seen.appliance.ha_id} {own}",
            probe.asked[-1],
            beside=[plain, other],
        )


def _of_this_entry(seen: View, other: Callable[[View, Entry, Answer], str | None], what: str) -> str:
    require_trust(seen)
    probes = _of_names(seen)
    if not probes:
        raise NotTried(NONE_ABOUT_ENTRIES)
    seen.look_at(*(probe.first for probe in probes))

    def against(probe: Probe) -> Iterator[tuple[Answer, str]]:
        if any(other(seen, probe.entry, plain) for plain in _plain(seen, probe)):
            return  # the plain read is judged by its own case
        asked = f"asked for was {with_maker(probe.entry.key, seen.maker)}"
        for answer in filter(gives_value, probe.asked):
            if of := other(seen, probe.entry, answer):
                yield answer, f"{probe.words} gives {what} {of}, {asked}"

    require_none(seen, probes, against)
    require_looks(seen, probes)
    served = sum(gives_value(probe.first) for probe in probes)
    return f"{served} of {len(probes)} requests gave a value, none of another entry"


def _of_names(seen: View) -> list[Probe]:
    """The generated requests that name an entry of the appliance, in its own spelling or in another."""
    relations = {Relation.ITSELF, Relation.ALIAS}
    return [one for one in probes_of(seen) if one.relation in relations and one.mutation not in METHODS]


def _is_elsewhere(seen: View, probe: Probe) -> bool:
    """Whether a request is answered, each time, with what another appliance has and its own has not."""
    shown, plain = probe.first.value, _plain(seen, probe)
    refused = all(answer.is_refusal for answer in plain)
    kept = all(answer.has_value and answer.value == plain[0].value for answer in plain)
    return (
        len(probe.asked) >= TWICE
        and len(probe.plain) >= TWICE
        and all(gives_value(answer) and answer.value == shown for answer in probe.asked)
        and (refused or (kept and plain[0].value != shown))
        and any(answer.has_value and answer.value == shown for answer in probe.elsewhere)
    )


def _perhaps_elsewhere(seen: View) -> list[Probe]:
    """The requests that gave once what the plain read does not; Booleans, which may do so by chance, last."""
    once = [probe for probe in _of_names(seen) if len(probe.asked) < TWICE and gives_value(probe.first)]
    found = [
        probe
        for probe in once
        if probe.part is not RequestPart.HA_ID
        and all(not same(probe.first.value, plain.value) for plain in _plain(seen, probe))
    ]
    return sorted(found, key=lambda probe: isinstance(probe.first.value, bool))


def _plain(seen: View, probe: Probe) -> list[Answer]:
    shared = seen.reads.get((probe.first.segment, probe.entry.key))
    return [*([shared] if shared else []), *probe.plain]


def _other_key(seen: View, entry: Entry, answer: Answer) -> str | None:
    if seen.pointers(segment_of(answer)).key is None:
        return None
    named = names_entry(seen, answer)
    return named if named != with_maker(entry.key, seen.maker) else None


_NAMELESS = {Relation.NOBODY, Relation.NEIGHBOUR}


def assert_no_key_is_invented(_case: Case, seen: View) -> str:
    """A generated key that is in no table, and no other spelling of one that is, yields no value."""
    return _yields_nothing(seen, RequestPart.KEY, "a key that is in no table")


def assert_no_appliance_is_invented(_case: Case, seen: View) -> str:
    """A generated haId that names no appliance yields no value, and no request that of another appliance."""
    require_trust(seen)
    require_own_appliance(seen)
    return _yields_nothing(seen, RequestPart.HA_ID, "a haId that names no appliance")


def _yields_nothing(seen: View, part: RequestPart, what: str) -> str:
    require_trust(seen)
    probes = [probe for probe in probes_of(seen) if probe.part is part and probe.relation in _NAMELESS]
    if not probes:
        raise NotTried(Omission(f"{what} was not asked for", BUDGET))
    seen.look_at(*(probe.first for probe in probes))
    require_none(seen, probes, lambda probe: _served(seen, probe, what))
    refused = sum(
        probe.first.is_refusal or value_after_forbidden(seen, probe.first) is not None for probe in probes
    )
    if not refused:
        raise Inconclusive(f"{what} was answered {probes[0].first.words}", probes[0].first)
    require_looks(seen, probes)
    return f"{len(probes)} requests, no value: {_tally(probes)}"


def _served(seen: View, probe: Probe, what: str) -> Iterator[tuple[Answer, str]]:
    """The answers with a value of an entry; of a name that may be the server's own, those that name one."""
    may_be_own = probe.relation is Relation.NEIGHBOUR
    for answer in filter(gives_value, probe.asked):
        if names_entry(seen, answer) if may_be_own else is_of_an_entry(seen, probe.entry, answer):
            yield answer, f"{what} gives a value: {probe.words} is answered {quoted(answer.value)}"


def _tally(probes: Sequence[Probe]) -> str:
    sorts = Counter(probe.first.sort for probe in probes)
    return ", ".join(f"{sort} {count}" for sort, count in sorted(sorts.items()))
