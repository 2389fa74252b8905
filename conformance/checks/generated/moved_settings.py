"""READ-SAFE: nothing that was read moved a setting, whatever was asked for (line 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from catalog.keys import ALARM_CLOCK
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.generated.mutations import GENERATED
from conformance.checks.generated.safe_methods import CHANGES, assert_safe_methods_change_nothing
from conformance.checks.groups import after_group
from conformance.checks.premise import Check, merge
from conformance.checks.reads.reading import walks
from conformance.checks.traces.trace import same
from conformance.checks.verdict import Deviation, Inconclusive, Judgement
from conformance.checks.view import View
from conformance.checks.wording import quoted

_SHARE = 6
"""One request of so many is a last read of a setting."""
Sent: TypeAlias = "tuple[str, str, tuple[tuple[str, str], ...]]"


def assert_generated_reads_are_safe(case: Case, seen: View) -> str | None:
    """HEAD, OPTIONS, and whatever else was only read leave every setting as it is."""
    return merge([_told(part, case, seen) for part in (assert_safe_methods_change_nothing, _assert_unmoved)])


def _told(part: Check, case: Case, seen: View) -> Judgement | str | None:
    try:
        return part(case, seen)
    except Judgement as judgement:
        return judgement


def watched_settings(seen: View) -> list[str]:
    """The served settings that are read once more at the end; those that do not move by themselves first."""
    served = [
        entry
        for key in seen.tried
        if (entry := seen.catalog.entries[key]).segment == "settings"
        and key != ALARM_CLOCK
        and (answer := seen.reads.get(("settings", key))) is not None
        and answer.has_value
    ]
    served.sort(key=lambda entry: not walks(entry))
    return [entry.key for entry in served[: seen.profile.generated_reads // _SHARE]]


def _assert_unmoved(_case: Case, seen: View) -> str:
    """The settings that were read once more have the values of before.

    Raises:
        Deviation: when a request changes a setting each time, which stays without that request.
        Inconclusive: when a setting changed, and no request shows to be the cause.
    """
    watched = watched_settings(seen)
    for key in watched:
        moved = moved_read(seen, key)
        if moved is None:
            continue
        answers, first = seen.group(after_group(key)), seen.reads["settings", key]
        reads = [one for one in answers if one.exchange.key == key]
        cause = _cause(key, answers)
        told = f"{key.partition('.Setting.')[2]} was {quoted(first.value)} and then {quoted(moved.value)}"
        if cause is None:
            raise Inconclusive(f"{told}, though the run only read, perhaps by somebody else", moved)
        request, walk = (
            cause.exchange.request,
            ", ".join(quoted(read.value) for read in reads[-2 * CHANGES :]),
        )
        raise Deviation(
            f"{told}: each {request.method} of {request.url} changes it, and without one it stays: {walk};"
            " document says a setting moves by writes",
            cause,
            beside=answers[answers.index(cause) + 1 :][: 2 * CHANGES - 1],
        )
    return f"{len(watched)} settings are as they were before all that was read"


def moved_read(seen: View, key: str) -> Answer | None:
    """A plain read beside generated requests, or after them, that shows another value than the first one."""
    first = seen.reads["settings", key].value
    groups = (
        answers for group, answers in seen.groups.items() if group in GENERATED or group == after_group(key)
    )
    plain = (
        answer
        for answers in groups
        for answer in answers
        if answer.exchange.purpose == "repeat"
        and (answer.exchange.ha_id, answer.exchange.key) == (seen.appliance.ha_id, key)
    )
    return next((one for one in plain if one.has_value and not same(one.value, first)), None)


def _cause(key: str, answers: Sequence[Answer]) -> Answer | None:
    """The request that changes the setting each time, often enough; None where none does."""
    moves: dict[Sent, list[bool]] = {}
    idle: list[bool] = []
    between: list[Answer] = []
    before: Answer | None = None
    for answer in answers:
        if answer.exchange.key != key or answer.exchange.purpose != "repeat":
            between.append(answer)
            continue
        if before and before.has_value and answer.has_value and len(between) <= 1:
            changed = not same(before.value, answer.value)
            (moves.setdefault(_sent(between[0]), []) if between else idle).append(changed)
        before, between = answer, []
    for sent, changes in moves.items():
        if len(changes) > CHANGES and all(changes) and len(idle) >= CHANGES and not any(idle):
            return next(answer for answer in answers if _sent(answer) == sent)
    return None


def _sent(answer: Answer) -> Sent:
    request = answer.exchange.request
    return request.method, request.url, request.headers
