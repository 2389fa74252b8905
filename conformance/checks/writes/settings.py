"""SET and RANGE: settings are configurable, over their whole range alone (lines 7 to 28, 165 to 175).

What must have no effect is judged by the read-back, never by the answer to the write: a server may refuse,
ignore, clamp or coerce as it likes. A write changes only its own key, and only of its own appliance.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer, in_order
from conformance.checks.case import Case
from conformance.checks.groups import (
    Group,
    ProcedureKind,
    guard_group,
    in_each_state,
    isolation_group,
    setting_group,
)
from conformance.checks.traces.effects import (
    Effect,
    effect_of,
    have_stood,
    lost_tries,
    shows_as_before,
    values_around,
    wrong_reads,
)
from conformance.checks.traces.expecting import Evaluation, Expecting, shown_by
from conformance.checks.traces.trace import (
    Attempt,
    attempts,
    in_rows,
    opening,
    reads_until,
    trace_of,
)
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.doubts import far
from conformance.checks.writes.expected import other_keys, own_key
from conformance.checks.writes.expected.other_keys import known_beside, watched_with
from conformance.checks.writes.judging import TWO_VALUES, Sentence, interference
from conformance.checks.writes.neighbours import moves_with
from conformance.checks.writes.requirements import (
    not_to_be_put_back,
    require_served,
    require_settable,
    require_working_write,
    require_written,
    unwritten,
)
from conformance.model.couplings import LOCKS, MODES, UNITS, controllers_of, may_move, siblings_of
from conformance.model.json_values import described, is_number, number, quoted
from conformance.model.values import fits, is_end


def another_value(case: Case, seen: View) -> Sentence:
    """Another allowed value, once written, is there within the settle time and stays (lines 7, 33)."""
    group = setting_group(case.key)
    require_settable(seen, case.key, group)
    tried = attempts(seen, group, key=case.key)
    # what does not go back was written once more, where nothing else was written beside it
    kinds = {group.kind, ProcedureKind.ISOLATION, ProcedureKind.LAST_LOOK}
    return Sentence(
        expects=own_key.another_value,
        tried=[_until_it_may_move(seen, attempt) for attempt in tried],
        groups=(group,),
        document="settings are configurable properties",
        nothing=partial(unwritten, seen, case.key, group),
        against=lost_tries(seen, case.key, tried, kinds),
        apart=partial(_led_elsewhere, seen),
    )


def _led_elsewhere(seen: View, one: Evaluation) -> int:
    """The number of a write that was taken and led to a third value, in no state; 0 of all others.

    That is another member, or a number that no rounding explains. PWR clauses judge the power states, which
    are walked.
    """
    attempt, group = one.attempt, one.attempt.answer.exchange.group
    is_set = group is not None and group.kind is ProcedureKind.SET
    is_open = one.result == "undecided" and not one.state and attempt.is_acknowledged
    if not (is_set and is_open and effect_of(seen, attempt) is Effect.OTHER):
        return 0
    last, bounds = attempt.last(), values_around(seen, attempt).bounds
    is_number_far = (
        bool(bounds) and is_number(last) and abs(number(last) - number(attempt.value)) >= far(bounds)
    )
    return attempt.answer.n if CATALOG.entries[attempt.key].type == "Enumeration" or is_number_far else 0


def _until_it_may_move(seen: View, attempt: Attempt) -> Attempt:
    """The attempt with what other procedures read of its key before anything was written that may move it.

    What comes of it beside a write of a sibling is judged of that write.
    """
    if seen.witnessed:  # whoever else writes may do so later
        return attempt
    last = attempt.after[-1] if attempt.after else attempt.answer
    siblings = siblings_of(seen.tried, attempt.key)
    reads = reads_until(
        seen, last, attempt.key, lambda written: written in siblings or may_move(written, attempt.key)
    )
    return replace(attempt, after=(*attempt.after, *reads))


def both_ends(case: Case, seen: View) -> Sentence:
    """Both ends of the range can be written (interpretation I-1); each that was tried has to show it."""
    group = setting_group(case.key)
    read = require_settable(seen, case.key, group)
    values = seen.values(case.key, read)
    bounds, listed = values.bounds, values.listed
    if bounds is None:
        raise NotApplicable("no range is known", read)
    if listed and not any(is_end(bounds, value) for value in listed):
        raise NotApplicable("the advertised list of its values holds no end of its range", read)
    return Sentence(
        expects=own_key.an_end,
        tried=[
            *require_written(seen, case.key, group),
            *_beside(seen, case.key, UNITS & controllers_of(case.key)),
        ],
        groups=(group,),
        document="both ends of a range are allowed values",
        nothing=partial(Inconclusive, "no end of the range was written"),
        apart=lambda one: number(one.attempt.value),
    )


def right_type(case: Case, seen: View) -> Sentence:
    """After a value of a wrong type was written, the value read has the right type (lines 22, 23)."""
    document = f"the type of the value is {case.subject.type}"
    return _guarded(case, seen, own_key.right_type, "of a wrong type", document)


def a_member(case: Case, seen: View) -> Sentence:
    """After a value outside the enumeration was written, the value read is one of its own (lines 23, 28)."""
    document = "the allowed values are the listed keys"
    return _guarded(case, seen, own_key.a_member, "outside the enumeration", document)


def inside(case: Case, seen: View) -> Sentence:
    """After a value outside the range was written, the value read lies inside (lines 23, 165 to 175)."""
    read = require_served(seen, case.key, *in_each_state(guard_group(case.key)))
    limits = seen.values(case.key, read).limits
    if limits is None:
        raise NotApplicable("no range is known", read)
    whose = "its own range" if case.subject.range is None else "the range"
    document = f"{whose} is {limits[0]:g} to {limits[1]:g}"
    return _guarded(case, seen, own_key.inside, "outside the range", document)


def _guarded(case: Case, seen: View, expects: Expecting, what: str, document: str) -> Sentence:
    """A sentence about the writes of a key that must have no effect; its value before must be right."""
    groups = in_each_state(guard_group(case.key))
    require_served(seen, case.key, *groups)
    found = [answer for answer in opening(seen, *groups) if answer.key == case.key]
    if not found or not found[-1].has_value:
        raise Inconclusive(
            f"not written: it {'was not read' if not found else f'answered {found[-1].words}'} before"
        )
    if not _is_right(seen, case.subject, found[-1]):
        was = f"the value was {described(found[-1].value)} before anything was written"
        is_of_its_type = fits(case.subject, found[-1].value)
        never_back = not_to_be_put_back(seen, case.subject, found[-1]) if is_of_its_type else ""
        raise Inconclusive(never_back or f"{was} (other clauses judge it)", found[-1])
    tried = [attempt for group in groups for attempt in forbidden_writes(seen, case.subject, group)]
    if not tried:
        require_settable(seen, case.key, *groups)
        raise unwritten(seen, case.key, *groups)
    return Sentence(
        expects=expects,
        tried=list(with_later_reads(seen, case.subject, tried)),
        groups=groups,
        document=document,
        nothing=partial(Inconclusive, f"no value {what} was written"),
        beside=partial(require_working_write, seen, case.key),
    )


def with_later_reads(seen: View, entry: Entry, tried: Sequence[Attempt]) -> Iterator[Attempt]:
    """Forbidden writes of a key, each with what other procedures read as long as that was wrong."""
    settle_s = seen.profile.timing.settle_seconds(entry.key)
    later = seen.later_reads(entry.key)
    wrong = wrong_reads(
        seen, entry.key, later, lambda read: read.has_value and not _is_right(seen, entry, read)
    )
    for attempt in tried:
        own = [one for one in wrong if one.by is attempt.answer]
        after = tuple(in_order((*attempt.after, *(one.read for one in own))))
        yield replace(attempt, after=after, was_read_twice=have_stood(own, settle_s)) if own else attempt


def forbidden_writes(seen: View, entry: Entry, group: Group) -> list[Attempt]:
    """The writes of a key in one procedure; none where its value was not right before."""
    own = [answer for answer in opening(seen, group) if answer.key == entry.key]
    is_right = bool(own) and _is_right(seen, entry, own[-1])
    return [*in_rows(attempts(seen, group, key=entry.key))] if is_right else []


def _is_right(seen: View, entry: Entry, read: Answer) -> bool:
    """Whether a read shows a value that the key may have."""
    return read.has_value and seen.values(entry.key, read).is_right(read.value)


OWN_KEY = "each setting has a key of its own"


def only_target(case: Case, seen: View) -> Sentence:
    """A write changes no unrelated setting, and no sibling takes the written value."""
    group = setting_group(case.key)
    require_settable(seen, case.key, group)
    if not watched_with(seen, case.key):
        raise NotApplicable(
            "the appliance serves no other setting that is known to be independent of this one"
        )
    return Sentence(
        expects=other_keys.neighbours_kept,
        tried=require_written(seen, case.key, group),
        groups=(group,),
        document=OWN_KEY,
        nothing=partial(Inconclusive, "no other setting was read before and after a write"),
        against=list(_beside(seen, case.key, {*LOCKS, *MODES, *siblings_of(seen.tried, case.key)})),
        enough=moves_with(seen),
    )


def _beside(seen: View, key: str, movers: Collection[str]) -> Iterator[Attempt]:
    """The writes of a key in procedures of other keys, such as while these are on; nobody else acted."""
    for group in [setting_group(mover) for mover in seen.tried if mover in movers and mover != key]:
        if not interference(seen, group):
            yield from attempts(seen, group, key=key)


def _of_others(case: Case, seen: View, group: Group) -> Iterator[Answer]:
    """What was read of the key of a case of the appliances that it is compared with, first or beside it."""
    for ha_id, reads in seen.beside.items():
        yield from (read for (_, key), read in reads.items() if key == case.key)
        yield from (one for one in seen.group(group) if (one.ha_id, one.key) == (ha_id, case.key))


def _require_as_at_first(case: Case, seen: View, again: Attempt) -> None:
    """Requires that what moved in a first comparison was as before when that was made again, alone.

    What has moved and stays so would show nothing of a write that moves it. There is none where the setting
    could not be written in a first one.

    Raises:
        Inconclusive: when it was not.
    """
    made = trace_of(seen.made_in(isolation_group(case.key)))
    for ha_id in seen.companions if made else ():
        then, now = (known_beside(seen, one, ha_id).old_read(ha_id=ha_id) for one in (made[0], again))
        if not (then and now and then.has_value and now.has_value) or shows_as_before(then, now):
            continue
        for one in made:
            reads = [read for read in one.reads(ha_id=ha_id) if read.has_value]
            if reads and not shows_as_before(then, reads[-1]):
                wrote = f"wrote {quoted(one.value)}, {one.words}"
                shown = shown_by(known_beside(seen, one, ha_id), reads[-1])
                raise Inconclusive(
                    f"{wrote}, {shown}; it was still so when that was compared again", reads[-1]
                )


def isolated(case: Case, seen: View) -> Sentence:
    """A write to one appliance leaves the same key of another appliance as it was."""
    group = isolation_group(case.key)
    if not seen.companions:
        raise NotApplicable("no appliance is declared to compare it with (one that is no alias of this one)")
    if not any(read.has_value or read.is_error for read in _of_others(case, seen, group)):
        raise NotApplicable(f"no appliance that it is compared with serves {short_name(case.key)}")
    tried = require_written(seen, case.key, group)
    return Sentence(
        expects=other_keys.others_kept,
        tried=tried,
        groups=(group,),
        document="a set of settings per home appliance",
        beside=partial(_require_as_at_first, case, seen, tried[0]),
        nothing=partial(Inconclusive, "the other appliance had the written value already"),
        enough=TWO_VALUES,
    )
