"""Reads made again: more tries, second reads that a finding needs, series, and keys that are compared."""

import itertools
from collections.abc import Callable, Generator, Iterable

from catalog.keys import (
    CAMERA_STATE,
    LIQUID_UNIT,
    LOCAL_CONTROL,
    OPERATION_STATE,
    POWER_STATE,
    TEMPERATURE_UNIT,
)
from catalog.model import Entry
from conformance.checks.answer import Absence, Answer
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.reads.paths import agreement, disagree
from conformance.checks.reads.ranges import outside_own_range
from conformance.checks.reads.reading import LONG_SERIES, SERIES, mixed, repeat, series_of, walks
from conformance.checks.reads.support import is_unsettled
from conformance.checks.reads.tries import LEAST_TRIES, note_of, odds, tries_of
from conformance.checks.reads.units import contradicts_unit_setting
from conformance.checks.view import View, segment_of
from conformance.checks.writes.operation import ALTERNATING, WATCH, comparable, contradictory
from conformance.harness.reads.gets import apart, read, reread
from conformance.harness.steps import Part, Pause, Procedure, Step
from conformance.model.couplings import controllers_of


def needs_confirming(seen: View, answer: Answer) -> bool:
    """Whether `answer` needs a second read: null, out of its range, a wrong unit, an undeclared camera."""
    if answer.absence is Absence.NULL:
        return True
    if not answer.has_value:
        return False
    entry = seen.catalog.entries[answer.exchange.key]
    return (
        (entry.own_range and bool(outside_own_range(answer)))
        or contradicts_unit_setting(seen, answer)
        or (entry.key == CAMERA_STATE and seen.appliance.streaming_camera is False)
    )


def fresh_group(segment: str, key: str) -> Group:
    """The group of a shared read that is made again on a connection of its own."""
    return Group(ProcedureKind.FRESH, f"{segment}/{key}")


def unit_setting(seen: View, answer: Answer) -> str | None:
    """The unit setting to be read again with `answer`; None where its key has none."""
    entry = seen.catalog.entries[answer.exchange.key]
    if entry.unit == "ml":
        return LIQUID_UNIT
    return TEMPERATURE_UNIT if entry.own_range else None


def spaced_tries(seen: View, answer: Answer) -> Procedure:
    """Two more tries of a key without a value, the anchor around them, then what may lock it."""
    yield from _tries(seen, answer, lambda _: True, LEAST_TRIES - 1)


def tries_in(group: Group, seen: View, answer: Answer) -> Part[list[Answer]]:
    """The tries of a key without a value that a procedure makes, the anchor around them."""
    return (yield from _tries(seen, answer, lambda _: True, LEAST_TRIES, group))


def further_tries(seen: View, answer: Answer) -> Procedure:
    """As many more tries as a finding needs where errors were among the first; notes how many."""
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


def second_read(seen: View, answer: Answer) -> Procedure:
    """The second read of a finding on a value, and of the unit setting it depends on."""
    key, segment, group = answer.exchange.key, answer.exchange.segment, answer.confirmation
    yield reread(seen, key, group, segment)
    unit = unit_setting(seen, answer)
    if unit:
        yield reread(seen, unit, group)


def state_again(seen: View, controller: str) -> Procedure:
    """A second read of a key that shows a state, after what that state may have kept from being read."""
    shown = seen.reads["settings", controller]
    yield reread(seen, controller, shown.confirmation)


def read_again(seen: View, key: str, segment: str) -> Procedure:
    """A shared read once more, on a connection of its own."""
    yield read(seen, key, segment, fresh_group(segment, key), "repeat")


def repeated_reads(seen: View, entry: Entry, answer: Answer, within: Group | None = None) -> Procedure:
    """Reads of one key in a row: three, six if its value is watched, twice as many if it comes and goes.

    They have a group of their own unless they are made `within` another procedure.
    """
    key, segment, group = entry.key, answer.exchange.segment, within or repeat(answer)
    wanted = LONG_SERIES if walks(entry) and answer.has_value else SERIES
    tries = [answer] if within else series_of(seen, answer)
    while len(tries) < wanted:
        tries.append((yield reread(seen, key, group, segment)))
    if len({(seen.values(key, one).is_right(one.value), one.rules) for one in tries if one.has_value}) > 1:
        for _ in range(LONG_SERIES):
            yield reread(seen, key, answer.confirmation, segment)
    changing = all(one.value != other.value for one, other in itertools.pairwise(tries))
    if not mixed(tries) and not (wanted == LONG_SERIES and changing):
        return
    while len(tries) < 2 * wanted:
        tries.append((yield apart(reread(seen, key, group, segment))))
    if POWER_STATE in seen.tried and key != POWER_STATE:
        yield reread(seen, POWER_STATE, group)


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
