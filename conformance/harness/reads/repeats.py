"""Reads made again: more tries, second reads that a finding needs, series, and keys that are compared."""

import itertools
from collections.abc import Callable, Generator, Iterable

from catalog.keys import (
    LOCAL_CONTROL,
    OPERATION_STATE,
    POWER_STATE,
)
from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.reads.paths import agreement, disagree
from conformance.checks.reads.reading import length_of, mixed, series_of, walks
from conformance.checks.reads.support import is_unsettled
from conformance.checks.reads.tries import LEAST_TRIES, note_of, odds, tries_of
from conformance.checks.view import View, segment_of
from conformance.checks.writes.operation import ALTERNATING, WATCH, comparable, contradictory
from conformance.harness.reads.gets import apart, read, reread
from conformance.harness.steps import Part, Pause, Procedure, Step
from conformance.model.couplings import controllers_of


def asked_again(seen: View, group: Group) -> Procedure:
    """What a check wants of an appliance, by the name of its procedure.

    Raises:
        LookupError: when nobody knows how to make it.
    """
    segment, _, key = group.subject.partition("/")
    answer = seen.reads[segment, key]
    if group.kind is ProcedureKind.REPEAT:
        return second_series(seen, answer)
    if group.kind is not ProcedureKind.AGAIN:
        raise LookupError(f"nobody knows how to make {group}")
    return _read_again(seen, answer) if answer.has_value else spaced_tries(seen, answer)


def _read_again(seen: View, answer: Answer) -> Procedure:
    yield reread(seen, answer.exchange.key, answer.again, answer.exchange.segment)


def tries_in(group: Group, seen: View, answer: Answer) -> Part[list[Answer]]:
    """The tries of a key without a value that a procedure makes, the anchor around them."""
    return (yield from _tries(seen, answer, lambda _: True, LEAST_TRIES, group))


def spaced_tries(seen: View, answer: Answer) -> Procedure:
    """As many more tries of a key without a value as may tell how it stands; notes how many among errors."""
    later = yield from _tries(
        seen, answer, lambda later: is_unsettled(seen, answer, later), seen.profile.timing.most_tries
    )
    tries = tries_of(seen, answer, later)
    if any(attempt.is_error for attempt in tries.made):
        yield tries_ended(seen, answer.again, answer.exchange.key, len(tries.made), later)


def _tries(
    seen: View,
    answer: Answer,
    goes_on: Callable[[list[Answer]], bool],
    most: int,
    within: Group | None = None,
) -> Generator[Step, Answer, list[Answer]]:
    """`most` tries of a key, as long as they go on by what was read so far; all that was read.

    They are those of the key unless they are made `within` another procedure.
    """
    key, segment, group = answer.exchange.key, answer.exchange.segment, within or answer.again
    anchor = seen.anchor and reread(seen, seen.anchor.exchange.key, group, seen.anchor.exchange.segment)
    later: list[Answer] = []
    for tried in range(most):
        if not goes_on(later):
            break
        if anchor and not tried:
            later.append((yield anchor))
        yield Pause(seen.profile.retry_s)
        later.append((yield reread(seen, key, group, segment)))
        if anchor:
            later.append((yield anchor))
    for controller in sorted(controllers_of(seen.catalog, key) - {key}) if later else ():
        for _ in range(LEAST_TRIES if seen.value(controller) is not None else 0):
            last = yield reread(seen, controller, group)
            if not last.is_error:
                break
    return later


def tries_ended(seen: View, group: Group, key: str, tries: int, later: Iterable[Answer]) -> Remark:
    """A remark on how many tries of `key` a procedure made, and how often the appliance erred until then."""
    return Remark("tries", group, seen.appliance.ha_id, key, note_of(odds(seen, later), tries))


def series_after(seen: View, answer: Answer) -> Procedure:
    """Reads of one key in a row, the shared one among them: three, six if its value is watched."""
    yield from _series(seen, answer, answer.series, [answer], 1)


def second_series(seen: View, answer: Answer) -> Procedure:
    """As many reads once more, on connections of their own, of a value that comes and goes, or changes."""
    yield from _series(seen, answer, answer.series, series_of(seen, answer), 2)


def series_in(group: Group, seen: View, answer: Answer) -> Procedure:
    """A series that a procedure makes, and a second one where the first is odd."""
    tries = yield from _series(seen, answer, group, [answer], 1)
    changing = walks(seen.catalog.entries[answer.exchange.key]) and all(
        one.value != other.value for one, other in itertools.pairwise(tries)
    )
    if changing or mixed(tries):
        yield from _series(seen, answer, group, tries, 2)


def _series(
    seen: View, answer: Answer, group: Group, tries: list[Answer], times: int
) -> Generator[Step, Answer, list[Answer]]:
    """Reads of a key until there are so many series of them; after a second one, PowerState."""
    key, segment = answer.exchange.key, answer.exchange.segment
    while len(tries) < times * length_of(seen, answer):
        tries.append((yield apart(reread(seen, key, group, segment), fresh=times > 1)))
    if times > 1 and POWER_STATE in seen.tried and key != POWER_STATE:
        yield reread(seen, POWER_STATE, group)
    return tries


def power_and_operation(seen: View) -> Procedure:
    """PowerState and OperationState in turn, twice; for the settle time while they contradict each other."""
    if not comparable(seen):
        return
    timing = seen.profile.timing
    watched, pairs = 0.0, 0
    while pairs < LEAST_TRIES - 1 or (contradictory(seen) and watched <= timing.power_settle_s):
        power = yield apart(reread(seen, POWER_STATE, ALTERNATING), fresh=contradictory(seen))
        operation = yield apart(reread(seen, OPERATION_STATE, ALTERNATING), fresh=contradictory(seen))
        pairs += 1
        moved = (power.value, operation.value) != (seen.value(POWER_STATE), seen.value(OPERATION_STATE))
        if moved and pairs >= LEAST_TRIES - 1:
            return
        if contradictory(seen):
            yield Pause(timing.poll_s)
            watched += timing.poll_s


def both_segments(seen: View, key: str, group: Group | None = None) -> Procedure:
    """A contested status under both segments in turn, twice; once more, later, where they differ."""
    drift = seen.profile.paths.battery_drift
    for sandwich in range(2):
        if sandwich:
            yield Pause(seen.profile.retry_s)
        reads: list[Answer] = []
        for segment in ("status", "settings", "status", "settings"):
            ask = read(seen, key, segment, group or agreement(key), "repeat")
            reads.append((yield apart(ask, fresh=sandwich > 0)))
        if disagree(tuple(reads), drift) is None:
            return


def local_control(seen: View) -> Procedure:
    """LocalControlActive until it reverts, on an appliance that is declared unattended."""
    answer = seen.read(LOCAL_CONTROL)
    if answer is None or answer.value is not True or not seen.appliance.unattended:
        return
    timing, watched = seen.profile.timing, 0.0
    while watched <= timing.local_control_fail_s and answer.value is True:
        yield Pause(timing.poll_s)
        watched += timing.poll_s
        answer = yield read(seen, LOCAL_CONTROL, segment_of(answer), WATCH, "repeat")
