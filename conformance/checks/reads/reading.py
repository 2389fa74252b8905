"""READ: each entry can be read individually with a GET on its key (lines 10, 22, 146, 147)."""

from collections.abc import Collection
from itertools import pairwise, takewhile

from msgspec.structs import replace

from catalog.keys import POWER_STATE
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Absence, Answer
from conformance.checks.case import Case, Omission
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.premise import behind_a_state, of_each_value, once_ended, require_trust
from conformance.checks.reads.enumerations import require_maker_as_spelled
from conformance.checks.reads.support import (
    Standing,
    is_lost,
    is_refused_everywhere,
    of_serving_segments,
    require_support,
    resolve,
    without_value,
)
from conformance.checks.reads.tries import LEAST_TRIES, LONG_SERIES, SERIES, tries_of
from conformance.checks.verdict import Deviation, Inconclusive, Judgement, NotApplicable, NotTried
from conformance.checks.view import View, with_reads
from conformance.model.json_values import quoted, same
from conformance.model.state_table import SHOWING_A_STATE, STATE_ROWS, EndedAt
from conformance.model.states import exempting_state, seen_of

PAIRS = 2


def assert_readable(case: Case, seen: View) -> None:
    """A supported entry gives a value, as it is found and in the states that a run brings about.

    A contested status does so under either segment, which PATH clauses judge.
    """
    require_trust(seen)
    answers = seen.answers(case.subject)
    if any(answer.has_value for answer in answers):
        _require_kept(seen, case.subject)
        return
    for then, answer in once_ended(case, seen):
        if answer.has_value:
            return
        if not case.subject.contested:
            seen, answers = then, (answer,)
    answer = answers[0]
    require_maker_as_spelled(seen, case.subject)
    if answer.absence is Absence.NULL:
        support = resolve(seen, case.subject, answer)
        if support.standing is not Standing.UNSUPPORTED:
            said = f"the value is null{f' while {support.state}' if support.state else ''}"
            raise Inconclusive(f"{said} (TYPE-NOTNULL judges it)", answer, state=support.state)
    if not case.subject.contested:
        require_support(seen, case.subject, answer)
    stands = [resolve(seen, case.subject, each) for each in answers]
    standings = {support.standing for support in stands}
    if standings == {Standing.UNSUPPORTED}:
        raise NotApplicable(stands[0].reason, answer)
    if standings == {Standing.BROKEN} and not is_refused_everywhere(seen, answers):
        raise Deviation(f"neither segment gives a value: {stands[0].reason}", answer)
    raise Inconclusive(
        f"neither segment gives a value: {stands[0].reason} (PATH clauses judge it)",
        answer,
        state=stands[0].state,
    )


def _require_kept(seen: View, entry: Entry, absences: Collection[Absence] = ()) -> None:
    """Requires that an entry which gave a value is not broken at some later time, by the tries in a row then.

    They are those in which no write can still be having its effect. Where `absences` are named, it must not
    be broken in one of these ways.

    Raises:
        Deviation: when it is.
    """
    refused = {answer.n for answer in seen.later_reads(entry.key) if answer.is_refusal}
    if not refused:
        return
    timing = seen.profile.timing
    # the keys of other states, some of which count as their state also where they are hidden
    telling = SHOWING_A_STATE - {entry.key}
    for number, answer in enumerate(told := seen.told):
        if answer.n not in refused:  # what was generated to be refused is no read of the entry
            continue
        reads = (one for one in told[:number] if not one.is_write)
        before = (one for one in reads if one.has_value or (one.is_refusal and one.key in telling))
        if not is_lost(answer, seen, then := with_reads(seen, before)):
            continue
        row = takewhile(lambda one: not one.is_write, told[number + 1 :])
        then = replace(then, made={**seen.made, answer.again: tuple(row)})
        tries = tries_of(then, answer)
        last = next((one for one in reversed(told[:number]) if one.is_write), None)
        settled = last.began + timing.settle_seconds(last.key) if last else 0.0
        if sum(one.began >= settled for one in tries.answers) < LEAST_TRIES or tries.errors:
            continue
        support = resolve(then, entry, answer)
        if support.standing is Standing.BROKEN and (not absences or support.answer.absence in absences):
            rows = (row for row in STATE_ROWS if row.id.turn <= EndedAt.MODE)
            held = dict.fromkeys(f"{state}" for row in rows if (state := seen_of(then, row)))
            when = f"while {' and '.join(held)}" if held else "later"
            raise Deviation(f"gave a value before, and none {when}: {support.reason}", support.answer)


def assert_no_payload_needed(case: Case, seen: View) -> None:
    """A GET without body, Content-Type and query gives the value.

    What it compares is two kinds of request, so that it takes two answers to each itself.
    """
    require_trust(seen)
    answers = seen.answers(case.subject)
    if any(answer.has_value for answer in answers) or behind_a_state(case, seen):
        return
    for answer in answers:
        probes = seen.group(with_payload(answer))
        if not probes and case.claim == "yes" and answer.is_refusal:
            seen.want(with_payload(answer))
        served = next((probe for probe in probes if probe.has_value), None)
        if served is None:
            continue
        how = served.exchange.request
        sent = f"the body {how.body}" if how.body else ("a query" if "?" in how.url else "a Content-Type")
        # Without, with, without, with: of each pair the answers must be alike, and those without must be
        # answers.
        without = [answer, *(probe for probe in probes if _payload(probe) == _payload(answer))]
        alike = len({one.signature for one in without}) == 1 and all(one.is_refusal for one in without)
        came_again = probes[-1] is not served and probes[-1].has_value
        if len(without) < PAIRS or not alike or not came_again or mixed(series_of(seen, answer)):
            words = f"gave a value when {sent} was sent; it was not shown that it gives none without that"
            raise Inconclusive(words, served)
        words = f"gives a value only when {sent} is sent, document says no payload; without: {answer.words}"
        raise Deviation(words, served, beside=[answer])
    raise without_value(resolve(seen, case.subject, answers[0]), "no value to judge: ")


def assert_value_present(case: Case, seen: View) -> None:
    """The body of a successful read holds one value."""
    require_trust(seen)
    answers = of_serving_segments(seen, case.subject)
    asked = [] if any(answer.has_value for answer in answers) else once_ended(case, seen)
    asked = asked or [(seen, answer) for answer in answers]
    for then, answer in asked:
        if answer.absence not in {Absence.MALFORMED, Absence.MISSING}:
            continue
        if answer.absence is Absence.MISSING and answer.calibrated:
            continue
        support = resolve(then, case.subject, answer)
        shown = support.answer
        if support.standing is Standing.BROKEN and shown.absence in {Absence.MALFORMED, Absence.MISSING}:
            raise Deviation(f"{shown.words}, document says an entry has a value", shown)
    if any(answer.has_value for _, answer in asked):
        _require_kept(seen, case.subject, {Absence.MALFORMED, Absence.MISSING})
        return
    raise without_value(resolve(seen, case.subject, answers[0]), "no value to judge: ")


def assert_repeatable(case: Case, seen: View) -> None:
    """Three reads in a quiet state are all values, or none is.

    The clause is about answers beside each other: what is made again is the series.
    """
    require_trust(seen)
    answers = seen.answers(case.subject)
    served = [
        (seen, answer) for answer in answers if any(attempt.has_value for attempt in series_of(seen, answer))
    ]
    served = served or behind_a_state(case, seen)
    if not served:
        raise without_value(resolve(seen, case.subject, answers[0]), "never a value: ")
    for then, answer in served:
        _repeatable(case, then, answer)


def _repeatable(case: Case, seen: View, answer: Answer) -> None:
    tries = series_of(seen, answer)
    if len(tries) < SERIES:
        raise _unsampled(seen, answer)
    if all(attempt.has_value for attempt in tries):
        return
    finding = "reads give " + ", ".join(
        "a value" if attempt.has_value else attempt.words for attempt in tries[: 2 * SERIES]
    )
    passing = next((attempt for attempt in tries if not attempt.has_value and not attempt.is_refusal), None)
    state = exempting_state(seen, case.key)
    if passing or state:
        raise Inconclusive(f"{finding}{f' while {state}' if state else ''}", answer, state=state)
    if seen.claim(case.key) != "yes":
        raise Inconclusive(f"{finding}; the profile does not claim the key", answer)
    length = length_of(answer)
    if is_short := len(tries) < 2 * length:
        seen.want(answer.series)
    if is_short or not (mixed(tries[:length]) and mixed(tries[length : 2 * length])):
        raise Inconclusive(f"{finding}; not so in a second series", answer)
    later = seen.group(answer.series)
    power = [read for read in later if read.key == POWER_STATE and read.has_value]
    if power and case.key != POWER_STATE and power[-1].value != seen.value(POWER_STATE):
        raise Inconclusive(f"{finding}, but PowerState changed meanwhile", answer)
    raise Deviation(f"{finding}, in an unchanged state", answer)


@of_each_value
def assert_reading_is_safe(_case: Case, seen: View, answer: Answer) -> None:
    """Six reads of a Boolean or enumeration setting, without a write, do not walk through values.

    As for READ-REPEAT, what is made again is the series.
    """
    tries = series_of(seen, answer)
    values = [attempt.value for attempt in tries if attempt.has_value]
    if len(values) < LONG_SERIES <= len(tries) < 2 * LONG_SERIES:
        seen.want(answer.series)
    if len(values) < LONG_SERIES:
        raise _unsampled(seen, answer)
    changes = [not same(first, second) for first, second in pairwise(values)]
    if not any(changes):
        return
    walk = ", ".join(quoted(value) for value in values[:LONG_SERIES])
    if all(changes) and len(values) >= 2 * LONG_SERIES:
        raise Deviation(f"each GET changes the value: {walk}; document says a setting moves by writes")
    if all(changes):
        seen.want(answer.series)
    raise Inconclusive(f"the value changed between reads; perhaps somebody else did it: {walk}")


def _payload(answer: Answer) -> tuple[str, str | None, bool]:
    request = answer.exchange.request
    return request.url, request.body, any(name.casefold() == "content-type" for name, _ in request.headers)


def _unsampled(seen: View, answer: Answer) -> Judgement:
    """Why a series is too short: the key is not in the sample, or the run was cut short."""
    if seen.profile.repeat_sample is None:
        return Inconclusive("not read again as often as a series needs", answer)
    return NotTried(Omission("not in the sample that is read again", "timing.repeat_sample"), answer)


def series_of(seen: View, answer: Answer) -> list[Answer]:
    """The reads of one key under one segment in their order: the shared one, the tries, the repeats."""
    tries = () if answer.has_value else seen.group(answer.again)
    later = [*tries, *seen.group(answer.series)]
    return [answer, *(read for read in later if read.place == answer.place)]


def length_of(answer: Answer) -> int:
    """How many reads a series has that begins with a shared one: more where READ-SAFE watches the value."""
    return LONG_SERIES if answer.has_value and walks(CATALOG.entries[answer.key]) else SERIES


def mixed(tries: list[Answer]) -> bool:
    """Whether some reads gave a value and some did not."""
    return any(attempt.has_value for attempt in tries) and not all(attempt.has_value for attempt in tries)


def walks(entry: Entry) -> bool:
    """Whether READ-SAFE watches `entry`: a Boolean or enumeration setting, which does not move by itself."""
    return entry.segment == "settings" and entry.type in {"Boolean", "Enumeration"}


def with_payload(answer: Answer) -> Group:
    """The group of the probes that send what a GET should not need."""
    return Group(ProcedureKind.PAYLOAD, f"{answer.segment}/{answer.key}")
