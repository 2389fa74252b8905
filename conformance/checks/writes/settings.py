"""SET and RANGE: settings are configurable, over their whole range (lines 7, 23, 165 to 175)."""

from functools import partial
from itertools import takewhile

from msgspec.structs import replace

from conformance.checks.case import Case
from conformance.checks.groups import ProcedureKind, setting_group
from conformance.checks.traces.effects import not_taken_later
from conformance.checks.traces.trace import Attempt, attempts, tries_to_put_back
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.expected import own_key
from conformance.checks.writes.judging import Sentence
from conformance.checks.writes.requirements import require_settable, require_written, unwritten
from conformance.model.couplings import may_move
from conformance.model.json_values import number
from conformance.model.values import is_end


def another_value(case: Case, seen: View) -> Sentence:
    """Another allowed value, once written, is there within the settle time and stays (lines 7, 33)."""
    group = setting_group(case.key)
    require_settable(seen, case.key, group)
    tried, tries = attempts(seen, group, key=case.key), tries_to_put_back(seen, case.key)
    # what does not go back was written once more, where nothing else was written beside it
    kinds = {group.kind, ProcedureKind.ISOLATION, ProcedureKind.LAST_LOOK}
    put_back = [
        one
        for one in not_taken_later(seen, tries, (*tried, *tries))
        if one.answer.exchange.groups[0].kind in kinds
    ]
    return Sentence(
        expects=own_key.another_value,
        tried=[_with_later_reads(seen, attempt) for attempt in tried],
        groups=(group,),
        document="settings are configurable properties",
        nothing=partial(unwritten, seen, case.key, group),
        # what is refused for a while, and taken then, shows nothing
        against=[one for one in put_back if one.is_acknowledged] or put_back,
    )


def _with_later_reads(seen: View, attempt: Attempt) -> Attempt:
    """The attempt with what other procedures read of its key before anything was written that may move it."""
    if seen.witnessed:  # whoever else writes may do so later
        return attempt
    last = attempt.after[-1] if attempt.after else attempt.answer
    later = (one for one in seen.told if one.n > last.n)
    until = takewhile(
        lambda one: not one.is_write or not may_move(seen.catalog, one.key, attempt.key),
        later,
    )
    reads = [one for one in until if one.key == attempt.key and one.has_value]
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
        tried=require_written(seen, case.key, group),
        groups=(group,),
        document="both ends of a range are allowed values",
        nothing=partial(Inconclusive, "no end of the range was written"),
        apart=lambda one: number(one.attempt.value),
    )
