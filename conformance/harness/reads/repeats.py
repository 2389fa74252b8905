"""Reads made again: more tries, second reads that a finding needs, series, and keys that are compared."""

import itertools
from collections.abc import Callable, Iterable
from functools import partial

from catalog.keys import (
    LOCAL_CONTROL,
    OPERATION_STATE,
    POWER_STATE,
)
from catalog.loader import CATALOG
from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.reads.reading import length_of, mixed, series_of, walks
from conformance.checks.reads.support import is_unsettled
from conformance.checks.reads.tries import LEAST_TRIES, note_of, odds, tries_of
from conformance.checks.view import View
from conformance.checks.writes.operation import ALTERNATING, PAIRS, WATCH, comparable
from conformance.harness.reads.controls import other_segments, payload_probes, version_probes
from conformance.harness.steps import Part, Pause, Procedure, apart, read, reread
from conformance.model.couplings import controllers_of
from conformance.model.json_values import same


def asked_again(seen: View, group: Group) -> Procedure:
    """What a check wants of an appliance, by the name of its procedure."""
    return _PROCEDURES[group.kind](seen, group)


def _shared_read(seen: View, group: Group) -> Answer:
    """The shared read that a procedure follows."""
    segment, _, key = group.subject.partition("/")
    return seen.reads[segment, key]


def read_again(seen: View, group: Group) -> Procedure:
    """A shared read once more, on a connection of its own."""
    answer = _shared_read(seen, group)
    yield reread(seen, answer.key, group, answer.segment)


def tries_in(group: Group, seen: View, answer: Answer) -> Part[list[Answer]]:
    """The tries of a key without a value that a procedure makes, the anchor around them."""
    return _tries(seen, answer, lambda _: True, LEAST_TRIES, group)


def spaced_tries(seen: View, answer: Answer) -> Procedure:
    """Three tries of a key without a value; then as many more as may tell how it stands, and how many.

    How often the appliance errs shows better when every key was tried three times.
    """
    if len(tries_of(seen, answer).made) < LEAST_TRIES:
        yield from _tries(seen, answer, lambda _: True, LEAST_TRIES - 1)
        return
    goes_on, most = partial(is_unsettled, seen, answer), seen.profile.timing.most_tries
    later = yield from _tries(seen, answer, goes_on, most)
    made = tries_of(seen, answer, later).made
    if any(attempt.is_error for attempt in made):
        yield tries_ended(seen, answer.again, answer.key, len(made), later)


def _tries(
    seen: View,
    answer: Answer,
    goes_on: Callable[[list[Answer]], bool],
    most: int,
    within: Group | None = None,
) -> Part[list[Answer]]:
    """`most` tries of a key, as long as they go on by what was read so far; all that was read.

    They are those of the key unless they are made `within` another procedure.
    """
    key, group = answer.key, within or answer.again
    anchor = seen.anchor and reread(seen, seen.anchor.key, group, seen.anchor.segment)
    later: list[Answer] = []
    for tried in range(most):
        if not goes_on(later):
            break
        if anchor and not tried:
            later.append((yield anchor))
        yield Pause(seen.profile.retry_s)
        later.append((yield reread(seen, key, group, answer.segment)))
        if anchor:
            later.append((yield anchor))
    for controller in sorted(controllers_of(key) - {key}) if later else ():
        for _ in range(LEAST_TRIES if seen.value(controller) is not None else 0):
            last = yield reread(seen, controller, group)
            if not last.is_error:
                break
    return later


def tries_ended(seen: View, group: Group, key: str, tries: int, later: Iterable[Answer]) -> Remark:
    """A remark on how many tries of `key` a procedure made, and how often the appliance erred until then."""
    return Remark("tries", group, seen.appliance.ha_id, key, note_of(odds(seen, later), tries))


def series_in(group: Group, seen: View, answer: Answer) -> Procedure:
    """A series that a procedure makes, and a second one where the first is odd."""
    tries = yield from series(seen, answer, group, [answer])
    changing = walks(CATALOG.entries[answer.key]) and all(
        not same(one.value, other.value) for one, other in itertools.pairwise(tries)
    )
    if changing or mixed(tries):
        yield from series(seen, answer, group, tries, 2)


def series(
    seen: View, answer: Answer, group: Group, tries: list[Answer], times: int = 1
) -> Part[list[Answer]]:
    """Reads of a key in a row, with those that were made: three, six if its value is watched.

    A second series is made on connections of their own, of a value that comes and goes, or changes; after it
    PowerState is read.
    """
    while len(tries) < times * length_of(answer):
        tries.append((yield apart(reread(seen, answer.key, group, answer.segment), fresh=times > 1)))
    if times > 1 and POWER_STATE in seen.tried and answer.key != POWER_STATE:
        yield reread(seen, POWER_STATE, group)
    return tries


def _second_series(seen: View, group: Group) -> Procedure:
    """The series of a key once more."""
    answer = _shared_read(seen, group)
    return series(seen, answer, group, series_of(seen, answer), 2)


def power_and_operation(seen: View) -> Procedure:
    """PowerState and OperationState in turn, twice."""
    for _ in range(PAIRS if comparable(seen) else 0):
        yield reread(seen, POWER_STATE, ALTERNATING)
        yield reread(seen, OPERATION_STATE, ALTERNATING)


def _watched_in_turn(seen: View, _group: Group) -> Procedure:
    """PowerState and OperationState in turn for the settle time, as long as neither moves."""
    timing, watched = seen.profile.timing, 0.0
    found = seen.value(POWER_STATE), seen.value(OPERATION_STATE)
    while watched <= timing.power_settle_s:
        yield Pause(timing.poll_s)
        watched += timing.poll_s
        power = yield apart(reread(seen, POWER_STATE, ALTERNATING))
        operation = yield apart(reread(seen, OPERATION_STATE, ALTERNATING))
        if (power.value, operation.value) != found:
            return


def both_segments(
    seen: View, group: Group, key: str = "", *, fresh: bool = False
) -> Part[tuple[Answer, ...]]:
    """A contested status under both segments in turn, twice; that of the group unless another is given."""
    reads: list[Answer] = []
    for segment in ("status", "settings") * 2:
        ask = read(seen, key or group.subject, segment, group, "repeat")
        reads.append((yield apart(ask, fresh=fresh)))
    return tuple(reads)


def both_segments_again(seen: View, group: Group, key: str = "") -> Procedure:
    """The same once more, later."""
    yield Pause(seen.profile.retry_s)
    yield from both_segments(seen, group, key, fresh=True)


def local_control(seen: View, _group: Group) -> Procedure:
    """LocalControlActive until it reverts, or for as long as it may be true."""
    timing, watched = seen.profile.timing, 0.0
    while watched <= timing.local_control_fail_s:
        yield Pause(timing.poll_s)
        watched += timing.poll_s
        if (yield reread(seen, LOCAL_CONTROL, WATCH)).value is not True:
            return


_PROCEDURES: dict[ProcedureKind, Callable[[View, Group], Procedure]] = {
    ProcedureKind.AGAIN: lambda seen, group: spaced_tries(seen, _shared_read(seen, group)),
    ProcedureKind.REPEAT: _second_series,
    ProcedureKind.AGREE: both_segments_again,
    ProcedureKind.POWER_AND_OPERATION: _watched_in_turn,
    ProcedureKind.LOCAL_CONTROL: local_control,
    ProcedureKind.ELSEWHERE: lambda seen, group: other_segments(seen, CATALOG.entries[group.subject]),
    ProcedureKind.PAYLOAD: lambda seen, group: payload_probes(seen, _shared_read(seen, group)),
    ProcedureKind.VERSION: lambda seen, _: version_probes(seen),
}
"""How what a check may want is made, each once more than it was made so far."""
