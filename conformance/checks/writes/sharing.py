"""SET-ONLY-TARGET and ADDR-HAID-ISOLATION: a write changes only its key and appliance (lines 7, 8)."""

from collections.abc import Iterator, Sequence
from functools import partial

from catalog.keys import short_name
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import Group, isolation_group, setting_group
from conformance.checks.traces.effects import shows_as_before
from conformance.checks.traces.evaluating import TWO_VALUES, Enough, differ, interference
from conformance.checks.traces.expecting import Evaluation, shown_by
from conformance.checks.traces.trace import Attempt, attempts, trace_of
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.expected import other_keys
from conformance.checks.writes.expected.other_keys import known_beside, took, watched_with
from conformance.checks.writes.judging import Sentence
from conformance.checks.writes.requirements import require_settable, require_written
from conformance.model.couplings import cooling_modes, locks
from conformance.model.json_values import quoted, same

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
        against=list(_under_locks(case, seen)),
        enough=moves_with(seen),
    )


def _under_locks(case: Case, seen: View) -> Iterator[Attempt]:
    """The writes of a key while another setting was on that may lock it, and nobody else acted."""
    may_lock = {*locks(seen.catalog), *cooling_modes(seen.catalog)} - {case.key}
    groups = [setting_group(key) for key in seen.tried if key in may_lock]
    for group in groups:
        if not interference(seen, group):
            yield from attempts(seen, group, key=case.key)


def moves_with(seen: View) -> Enough:
    """One neighbour that takes two values, or that changes with each of two writes and back."""
    return Enough(partial(_moved_again, seen), "but not with each of two writes and back")


def _moved_again(
    seen: View, against: Sequence[Evaluation], _held: Sequence[Evaluation]
) -> Sequence[Evaluation]:
    against = sorted(against, key=lambda one: one.attempt.answer.n)
    for key in dict.fromkeys(one.shown.key for one in against):
        own = [one for one in against if one.shown.key == key]
        followed = [one for one in own if took(seen, one.attempt, key)]
        if differ(followed):
            return followed
        # written, back, and written again: three changes, the third like the first
        for first, back, again in zip(own, own[1:], own[2:], strict=False):
            if _is_alike(first, again, key) and differ((first, back)):
                return own
    return ()


def _is_alike(one: Evaluation, other: Evaluation, key: str) -> bool:
    """Whether two writes of one value moved a key from the same value to the same."""
    return (
        same(one.attempt.value, other.attempt.value)
        and same(one.attempt.old(key), other.attempt.old(key))
        and same(one.shown.value, other.shown.value)
    )


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
        if not (then and now and then.has_value and now.has_value) or shows_as_before(seen, then, now):
            continue
        for one in made:
            reads = [read for read in one.reads(ha_id=ha_id) if read.has_value]
            if reads and not shows_as_before(seen, then, reads[-1]):
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
