"""PATH: the four statuses that the document shows under two segments (line 149)."""

from itertools import pairwise

from catalog.keys import DUST_BOX, short_name
from conformance.checks.answer import Answer, in_order
from conformance.checks.case import Case
from conformance.checks.groups import DUST_BOX_OUT, Group, ProcedureKind
from conformance.checks.premise import require_trust
from conformance.checks.reads.support import Standing, is_refused_everywhere, resolve
from conformance.checks.traces.trace import CLOCK_TOLERANCE_S
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.model.json_values import is_number, number, quoted
from conformance.model.values import fits

_ALTERNATING = 4


def assert_either_segment(case: Case, seen: View) -> str | None:
    """At least one of the two segments gives a value."""
    require_trust(seen)
    answers = seen.answers(case.subject)
    serving = [answer.segment for answer in answers if answer.has_value]
    authoritative = case.profile.paths.authoritative
    if serving:
        if authoritative not in {"either", *serving}:
            raise Inconclusive(
                f"served under /{serving[0]}/, yet the profile says /{authoritative}/ is authoritative"
            )
        return f"served under {' and '.join(serving)}"
    stands = [resolve(seen, case.subject, answer) for answer in answers]
    is_broken = all(support.standing is Standing.BROKEN for support in stands)
    if is_broken and is_refused_everywhere(seen, answers):
        raise Deviation(
            f"neither segment gives a value: /status/ and /settings/, {stands[0].reason}", answers[0]
        )
    doubt = next((support for support in stands if support.standing is not Standing.UNSUPPORTED), None)
    if doubt and doubt.standing is Standing.BROKEN and case.claim != "yes":
        raise NotApplicable(
            f"not claimed, and neither segment gives a value (READ-STATUS judges it): {doubt.reason}",
            doubt.answer,
        )
    if doubt:
        where = f"neither segment gives a value: under /{doubt.answer.segment}/, "
        raise Inconclusive(where + doubt.reason, doubt.answer, state=doubt.state)
    raise NotApplicable(stands[0].reason, answers[0])


def assert_segments_agree(case: Case, seen: View) -> None:
    """Both segments tell the same value (interpretation I-8), read in turn, twice, and in later states.

    The clause is about answers beside each other: what is made again is the series.
    """
    require_trust(seen)
    answers = seen.answers(case.subject)
    if not all(answer.has_value for answer in answers) or len(answers) < len(case.subject.segments):
        raise NotApplicable("not served under both segments")
    unfit = next((answer for answer in answers if not fits(case.subject, answer.value)), None)
    if unfit:
        raise Inconclusive(
            f"value under /{unfit.segment}/ is no {case.subject.type} (TYPE clauses judge it)", unfit
        )
    reads = seen.group(agreement(case.key))
    if len(reads) < _ALTERNATING:
        raise Inconclusive("the two segments were not read in turn")
    drift = case.profile.paths.battery_drift if is_number(answers[0].value) else 0
    if disagree(reads[:_ALTERNATING], drift) is not None and len(reads) == _ALTERNATING:
        seen.want(agreement(case.key))
    _require_agreement(reads, drift, "")
    beside = seen.group(DUST_BOX_OUT) if case.key == DUST_BOX else ()
    if moved := tuple(answer for answer in beside if answer.exchange.purpose != "hook"):
        _require_agreement(moved, drift, " after the dust box was moved")
    _require_lasting_agreement(case, seen, drift)


def _require_lasting_agreement(case: Case, seen: View, drift: float) -> None:
    """Requires that the two did not differ for a settle time in a state that a procedure has entered."""
    settle_s = seen.profile.timing.settle_seconds(case.key)
    reads = in_order(
        read for read in seen.later_reads(case.key) if read.exchange.group != agreement(case.key)
    )
    moving = [one for one in seen.told if one.is_write or one.exchange.purpose == "hook"]
    for four in zip(reads, reads[1:], reads[2:], reads[3:], strict=False):
        alternate = [read.segment for read in four] == [*case.subject.segments] * 2
        is_still = not any(four[0].n < one.n < four[-1].n for one in moving)
        # What moves by itself shows two values under two paths, too, if one is asked long after the other.
        within_s, waited_s, later_s = (after.began - before.ended for before, after in pairwise(four))
        is_beside = 2 * max(within_s, later_s) <= waited_s
        if not (alternate and is_still and is_beside and waited_s >= settle_s - CLOCK_TOLERANCE_S):
            continue
        if found := disagree(four, drift):
            by = next((one for one in reversed(moving) if one.is_write and one.n < four[0].n), None)
            when = f", after {short_name(by.key)} was written: {quoted(by.exchange.value)}" if by else ""
            raise Deviation(
                f"/status/ says {found[0]}, /settings/ says {found[1]}, and so a settle time later{when}",
                four[2],
                beside=[four[3]],
            )


def _require_agreement(reads: tuple[Answer, ...], drift: float, when: str) -> None:
    first = disagree(reads[:_ALTERNATING], drift)
    if first is None:
        return
    if not first or not disagree(reads[_ALTERNATING : 2 * _ALTERNATING], drift):
        raise Inconclusive(f"the values moved between the reads{when}", reads[0])
    raise Deviation(
        f"/status/ says {first[0]}, /settings/ says {first[1]}, in two alternating series of reads{when}",
        reads[0],
        beside=reads[1:2],
    )


def disagree(reads: tuple[Answer, ...], drift: float) -> tuple[str, str] | tuple[()] | None:
    """The two values that differ in reads of status, settings, status, settings.

    None where they agree (numbers: within `drift` points, or what one path itself moved by); an empty
    tuple where a path is not stable in itself, or a read is missing.
    """
    if len(reads) < _ALTERNATING or not all(answer.has_value for answer in reads):
        return ()
    values = [answer.value for answer in reads]
    if is_number(values[0]) and all(is_number(value) for value in values):
        one, other, one_later, other_later = (number(value) for value in values)
        moved = max(abs(one - one_later), abs(other - other_later))
        if abs(one - other) <= max(drift, moved) or abs(one_later - other_later) <= max(drift, moved):
            return None
        return (quoted(values[0]), quoted(values[1])) if moved <= drift else ()
    if values[0] == values[1] and values[2] == values[3]:
        return None
    stable = values[0] == values[2] and values[1] == values[3]
    return (quoted(values[0]), quoted(values[1])) if stable else ()


def agreement(key: str) -> Group:
    """The group of the reads of status, settings, status, settings of a contested status."""
    return Group(ProcedureKind.AGREE, key)
