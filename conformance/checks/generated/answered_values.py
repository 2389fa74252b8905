"""What generated requests are answered with: values of entries, values that nothing should have, and errors.

A name that nothing has yields no value; more around a name, or another spelling, selects nothing else:
ADDR-UNKNOWNKEY, ADDR-HAID, ADDR-SPECIFIC and ADDR-KEY-LAST (lines 8, 146, 147; I-9). A value of an entry is
one that it may have (TYPE, ENUM, RANGE). The document shows no errors (line 163), so they are observed, and
nothing more.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial, wraps

from msgspec.structs import replace

from catalog.keys import short_name
from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import Case, Omission
from conformance.checks.generated.mutations import METHODS, NAMING_NOTHING, Relation, RequestPart
from conformance.checks.generated.probes import (
    BUDGET,
    NONE_ABOUT_ENTRIES,
    TWICE,
    Probe,
    gives_value,
    is_of_an_entry,
    length,
    probes_of,
    require_looks,
    require_none,
)
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.notes import tally
from conformance.checks.premise import Check, require_trust
from conformance.checks.reads.enumerations import names_entry, other_family
from conformance.checks.reads.support import value_after_forbidden
from conformance.checks.traces.trace import Attempt, trace_of
from conformance.checks.verdict import Deviation, Inconclusive, Judgement, NotApplicable, NotTried
from conformance.checks.view import View
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
    named = [probe for probe in _of_names(seen) if probe.part is not RequestPart.HA_ID]
    shown = [probe for probe in named if _is_elsewhere(seen, probe)]
    for probe in [] if shown else _perhaps_elsewhere(seen, named)[:TWICE]:
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


def _perhaps_elsewhere(seen: View, probes: Iterable[Probe]) -> list[Probe]:
    """The requests that gave once what the plain read does not; Booleans, which may do so by chance, last."""
    once = (probe for probe in probes if len(probe.asked) < TWICE and gives_value(probe.first))
    found = (one for one in once if not any(same(one.first.value, read.value) for read in _plain(seen, one)))
    return sorted(found, key=lambda probe: isinstance(probe.first.value, bool))


def _plain(seen: View, probe: Probe) -> list[Answer]:
    shared = seen.reads.get((probe.first.segment, probe.entry.key))
    return [*([shared] if shared else []), *probe.plain]


def _other_key(seen: View, entry: Entry, answer: Answer) -> str | None:
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
    return f"{len(probes)} requests, no value: {tally(probe.first.sort for probe in probes)}"


def _served(seen: View, probe: Probe, what: str) -> Iterator[tuple[Answer, str]]:
    """The answers with a value of an entry; of a name that may be the server's own, those that name one."""
    may_be_own = probe.relation is Relation.NEIGHBOUR
    for answer in filter(gives_value, probe.asked):
        if names_entry(seen, answer) if may_be_own else is_of_an_entry(seen, probe.entry, answer):
            yield answer, f"{what} gives a value: {probe.words} is answered {quoted(answer.value)}"


def of_generated(check: Check) -> Check:
    """The check of an entry's value, for all values that generated requests of its entries gave.

    Raises:
        Deviation: when one contradicts, twice, and the plain reads of its entry do not.
        Inconclusive: when one did once.
        NotApplicable: when the appliance serves none of the entries.
        NotTried: when none of the entries was asked for in this way.
    """

    @wraps(check)
    def judged(case: Case, seen: View) -> str | None:
        require_trust(seen)
        if not any(seen.value(key) is not None for key in case.about):
            raise NotApplicable("none of the entries is served")
        probes = [probe for probe in probes_of(seen) if probe.entry.key in case.about and _shows(seen, probe)]
        if not probes:
            raise NotTried(NONE_ABOUT_ENTRIES)
        require_none(seen, probes, partial(_against, check, case, seen))
        seen.look_at(*(probe.first for probe in probes))
        return f"{len(probes)} generated requests gave values"

    return judged


def _shows(seen: View, probe: Probe) -> bool:
    """Whether a generated request was answered with a value that is said to be of its entry."""
    if not gives_value(probe.first):
        return False
    named = names_entry(seen, probe.first)
    is_own = named == with_maker(probe.entry.key, seen.maker)
    if probe.mutation in NAMING_NOTHING:
        return named is None or is_own
    return probe.relation is Relation.ALIAS and is_own


def _against(check: Check, case: Case, seen: View, probe: Probe) -> Iterator[tuple[Answer, str]]:
    """The answers that the check finds wrong, and why; none where a plain one is, which has its own case."""
    own = replace(case, entry=probe.entry, generated=False)
    told = [(answer, _found(check, own, seen, answer)) for answer in filter(gives_value, probe.asked)]
    wrong = [(answer, found) for answer, found in told if isinstance(found, Deviation)]
    # what is wrong in a shared read, too, is not asked for again
    plain = [read for read in _plain(seen, probe) if read.has_value] if wrong else []
    if not any(isinstance(_found(check, own, seen, read), Deviation) for read in plain):
        yield from ((answer, f"{probe.words}: {found.finding}") for answer, found in wrong)


def _found(check: Check, case: Case, seen: View, answer: Answer) -> Judgement | None:
    """What the check says of one answer alone."""
    others = {place: read for place, read in seen.reads.items() if place[1] != case.key}
    reads = {**others, (answer.segment, case.key): answer}
    try:
        check(case, replace(seen, reads=reads, made={**seen.made, answer.again: (), answer.series: ()}))
    except Judgement as judgement:
        return judgement
    return None


def note_errors_of_generated(_case: Case, seen: View) -> str:
    """PROT-ERRORS: how many generated requests met an error, and the shortest that shows it."""
    told = _of_requests(seen)
    values = [attempt for group in _edges(seen) for attempt in trace_of(seen.groups[group])]
    if not values:
        return told
    broken = [attempt for attempt in values if _breaks(attempt)]
    if not broken:
        return f"{told}; {len(values)} generated values, no server error"
    shortest = min(broken, key=lambda attempt: len(str(attempt.value)))
    name = short_name(shortest.key)
    shown = next((read for read in shortest.reads() if is_broken(read)), shortest.answer)
    seen.look_at(shortest.answer, shown)
    return (
        f"{told}; {len(broken)} of {len(values)} generated values met an error; the shortest: wrote"
        f" {quoted(shortest.value)} to {name}, {shortest.words}, then {shown.words}"
    )


def _edges(seen: View) -> list[Group]:
    """The groups of generated values; where one was made again alone, that."""
    return [
        group
        for group in seen.groups
        if group.kind is ProcedureKind.EDGE and (group.alone or replace(group, alone=True) not in seen.groups)
    ]


def _breaks(attempt: Attempt) -> bool:
    """Whether a write met an error, or each read of its setting after it, which had been read before."""
    before, reads = attempt.old_read(), attempt.reads()
    if before is None or not before.has_value:
        return False
    return is_broken(attempt.answer) or (bool(reads) and all(is_broken(read) for read in reads))


def _of_requests(seen: View) -> str:
    probes = probes_of(seen)
    broken = [probe for probe in probes if is_broken(probe.first)]
    if not broken:
        return f"{len(probes)} generated requests, no server error"
    shortest = min(broken, key=lambda probe: (length(probe), probe.first.n))
    seen.look_at(shortest.first)
    dropped = sum(probe.first.outcome is Outcome.TRANSPORT for probe in broken)
    return (
        f"{len(broken)} of {len(probes)} generated requests met an error, {dropped} of them no response; the"
        f" shortest: {shortest.words}, answered {shortest.first.words}"
    )


def is_broken(answer: Answer) -> bool:
    """Whether an answer is an error of the server, or none came; a bound of the suite's own is neither."""
    if answer.is_unreadable:
        return False
    return answer.outcome is Outcome.SERVERERR or (
        answer.outcome is Outcome.TRANSPORT and answer.exchange.failure is not None
    )
