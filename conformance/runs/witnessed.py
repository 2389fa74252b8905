"""Judges the writes that others were seen to make, as those that a run makes.

Each write of a setting is taken for one of the procedure that a run would have written it in, with all that
was read and written around it, so that the checks of those procedures judge it.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, SUPER_MODES, short_name
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.exchange import WRITES, Remark
from conformance.checks.groups import AMBIENT, HOOD, WATCH, Group, setting_group
from conformance.checks.premise import Check
from conformance.checks.remarks import moved_by_others
from conformance.checks.traces.trace import AT_ONE_TIME_S
from conformance.checks.view import View
from conformance.harness.observing import Observations
from conformance.harness.writes.procedures.registry import procedure_of
from conformance.model.couplings import may_carry_along
from conformance.model.json_values import same
from conformance.runs.judging import Judged, judge

_MOST_WRITES = 40
"""Of one procedure: more of them show no more."""


def witnessed_of(observations: Observations) -> Mapping[str, View]:
    """What was seen of each appliance, with the writes to its settings as procedures."""
    answers: dict[str, list[Answer]] = {}
    for exchange in observations.exchanges:
        answers.setdefault(exchange.ha_id, []).append(observations.answer(exchange))
    return {ha_id: _witnessed(seen, answers.get(ha_id, ())) for ha_id, seen in observations.views().items()}


def judge_witnessed(case: Case, check: Check, seen: View) -> Judged:
    """The verdict on a case of the writes to its appliance; it is not judged where nobody wrote its key."""
    if not any(group in seen.made for group in case.groups):
        return Judged(case, "not_judged", "nobody was seen to write it", field=f"--level {case.clause.level}")
    judged = judge(check, case, seen)
    if judged.verdict in {"not_applicable", "inconclusive"} and judged.missed:
        words = f"{judged.message}; not seen: {', '.join(map(short_name, judged.missed))}"
        return replace(judged, verdict="inconclusive", message=words)
    return judged


def _witnessed(seen: View, answers: Sequence[Answer]) -> View:
    reads: dict[tuple[str, str], Answer] = {}
    writes: dict[Group, list[int]] = {}
    for number, answer in enumerate(answers):
        exchange = answer.exchange
        place = exchange.segment, exchange.key
        if exchange.purpose not in WRITES:
            if answer.has_value or place not in reads or not reads[place].has_value:
                reads[place] = answer
        elif exchange.segment == "settings":
            for group in _groups_of(exchange.key):
                writes.setdefault(group, []).append(number)
    remarks = {**seen.remarks, WATCH: tuple(_moved_by_others(seen, answers))}
    made = {group: tuple(_around(seen, answers, own[:_MOST_WRITES])) for group, own in writes.items()}
    return replace(seen, reads=reads, made=made, remarks=remarks, witnessed=True)


def _moved_by_others(seen: View, answers: Sequence[Answer]) -> Iterator[Remark]:
    """Of each setting the first time that it moved though nobody was seen to write."""
    shown: dict[str, Answer] = {}
    written: list[Answer] = []
    told = {ALARM_CLOCK, *SUPER_MODES}  # which move by themselves
    for answer in answers:
        key = answer.key
        if answer.is_write:
            written.append(answer)
        elif ".Setting." in key and answer.has_value and key not in told:
            before, shown[key] = shown.get(key), answer
            is_moved = before is not None and not same(before.value, answer.value)
            if before and is_moved and not _may_be_moved(seen, before, key, written):
                told.add(key)
                yield moved_by_others(before.value, answer)


def _may_be_moved(seen: View, before: Answer, key: str, written: Sequence[Answer]) -> bool:
    """Whether anything was written since a key was read, or before, and may have moved the key since."""
    for write in reversed(written):
        if write.n > before.n:
            return True
        settle_s = seen.profile.timing.settle_seconds(write.key)
        if write.ended + settle_s < before.began:
            return False
        if write.key == key or may_carry_along(write.key, key):
            return True
    return False


def _groups_of(key: str) -> Iterator[Group]:
    """The procedures in which a run writes a setting."""
    yield setting_group(key)
    yield from (group for group in (AMBIENT, HOOD) if key in procedure_of(group).writes)


def _around(seen: View, answers: Sequence[Answer], writes: Sequence[int]) -> Iterator[Answer]:
    """Some writes, with what came within their time before and after them."""
    done = 0
    for number in writes:
        write = answers[number]
        first = last = number
        while first > done and write.began - answers[first - 1].began <= AT_ONE_TIME_S:
            first -= 1
        until = write.ended + seen.profile.timing.settle_seconds(write.key) + AT_ONE_TIME_S
        while last + 1 < len(answers) and answers[last + 1].began <= until:
            last += 1
        yield from answers[max(first, done) : last + 1]
        done = max(done, last + 1)
