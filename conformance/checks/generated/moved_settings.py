"""READ-SAFE: neither HEAD nor OPTIONS nor anything that was read moved a setting (line 10; RFC 9110)."""

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from itertools import chain

from msgspec import Struct

from catalog.keys import ALARM_CLOCK
from catalog.loader import CATALOG
from conformance.checks.answer import Answer
from conformance.checks.case import Case, Omission
from conformance.checks.generated.mutations import GENERATED, METHODS, Mutation, RequestPart, generated_group
from conformance.checks.generated.probes import BUDGET, Sent, probes_of, sent_in
from conformance.checks.groups import after_group
from conformance.checks.premise import merge, require_trust
from conformance.checks.reads.reading import walks
from conformance.checks.verdict import Deviation, Inconclusive, NotTried
from conformance.checks.view import View
from conformance.model.json_values import quoted, same

_METHODS = frozenset(one.name for one in METHODS)
CHANGES = 6
"""How often a value has to change with a request, and to stay without it."""


class Steps(Struct, frozen=True):
    """Whether a value changed from a read to the next: with one other request between them, and without."""

    changed: dict[Sent, list[bool]]
    idle: list[bool]

    @property
    def cause(self) -> Sent | None:
        """The request that changes the value each time, often enough, and without which it stays."""
        if len(self.idle) < CHANGES or any(self.idle):
            return None
        found = (sent for sent, each in self.changed.items() if len(each) >= CHANGES and all(each))
        return next(found, None)


def assert_safe_methods_change_nothing(_case: Case, seen: View) -> str:
    """HEAD and OPTIONS between plain reads leave every value that is read as it is."""
    require_trust(seen)
    series = series_with_methods(seen)
    if not series and probes_of(seen):
        raise NotTried(Omission("neither HEAD nor OPTIONS was sent", BUDGET))
    seen.look_at(*(answers[-1] for answers in series.values()))
    blind: list[Answer] = []
    sent = [one.n for one in chain(*series.values()) if one.exchange.request.method in _METHODS]
    for (mutation, key), answers in series.items():
        _leaves(seen, mutation, key, answers, sent)
        if not steps_of(key, answers).changed:
            plain = (one for one in reversed(answers) if one.exchange.purpose == "repeat")
            blind.append(next((one for one in plain if not one.has_value), answers[-1]))
    # an error is one of chance as long as others are seen
    told = next((one for one in blind if not one.is_error or len(blind) == len(series)), None)
    if told:
        if told.has_value:
            raise Inconclusive(f"{told.key} is not compared: several requests lie between its reads", told)
        if told.exchange.purpose != "repeat":
            method = told.exchange.request.method
            raise Inconclusive(f"{told.key} was not read again after {method}, which got {told.words}", told)
        raise Inconclusive(f"{told.key} could not be read again: {told.words}", told)
    late = " and ".join(sorted(late_methods(chain(*series.values()))))
    said = f"; {late} got no answer in time, and was not sent to further entries" if late else ""
    return f"{len(series) - len(blind)} series of reads with HEAD or OPTIONS between them{said}"


def late_methods(answers: Iterable[Answer]) -> set[str]:
    """The methods other than GET that got no answer in time."""
    failures = [(one.exchange.request.method, one.exchange.failure) for one in answers]
    return {method for method, failure in failures if failure and failure.kind == "timeout"} & _METHODS


def series_with_methods(seen: View) -> dict[tuple[Mutation, str], list[Answer]]:
    """The plain reads of a key and the requests with another method between them, by method and key."""
    series: dict[tuple[Mutation, str], list[Answer]] = {}
    for mutation in METHODS:
        for answer in seen.made_in(generated_group(RequestPart.WHOLE, mutation)):
            series.setdefault((mutation, answer.key), []).append(answer)
    return series


def steps_of(key: str, answers: Sequence[Answer], sent: Collection[int] = ()) -> Steps:
    """The steps from each plain read of a key to the next.

    Where one of the requests `sent`, by the numbers of their exchanges, lies between, it may be its doing.
    """
    steps = Steps({}, [])
    between: list[Answer] = []
    before: Answer | None = None
    for answer in answers:
        if answer.key != key or answer.exchange.purpose != "repeat":
            between.append(answer)
            continue
        if before and before.has_value and answer.has_value and len(between) <= 1:
            lies_between = range(before.n + 1, answer.n)
            moves = steps.changed.setdefault(sent_in(between[0]), []) if between else steps.idle
            if between or not any(number in lies_between for number in sent):
                moves.append(not same(before.value, answer.value))
        before, between = answer, []
    return steps


def _leaves(seen: View, mutation: Mutation, key: str, answers: list[Answer], sent: Collection[int]) -> None:
    """Raises where a method changes a value, or may."""
    moves_itself = CATALOG.entries[key].segment == "status"
    steps = steps_of(key, answers, sent)
    changed = [*chain.from_iterable(steps.changed.values())]
    if not any(changed) or (moves_itself and not (all(changed) and not any(steps.idle))):
        return
    method = mutation.name
    values = [quoted(answer.value) for answer in answers if answer.has_value]
    walk = ", ".join(values[:CHANGES])
    if cause := steps.cause:
        raise Deviation(
            f"each {method} of {key} changes the value, and without one it stays: {walk}; document says a"
            " setting moves by writes",
            next(answer for answer in answers if sent_in(answer) == cause),
            beside=answers[:CHANGES],
        )
    made = [answer for answer in answers if answer.exchange.purpose == "generated"]
    if len(made) == 1:
        seen.want(made[0])
    raise Inconclusive(f"{key} changed after {method}, perhaps by itself: {walk}", answers[-1])


_SHARE = 6
"""One request of so many is a last read of a setting."""


def assert_generated_reads_are_safe(case: Case, seen: View) -> str | None:
    """HEAD, OPTIONS, and whatever else was only read leave every setting as it is."""
    parts = (assert_safe_methods_change_nothing, _assert_unmoved)
    return merge(partial(part, case, seen) for part in parts)


def watched_settings(seen: View) -> list[str]:
    """The served settings that are read once more at the end; those that do not move by themselves first."""
    served = [
        entry
        for key in seen.tried
        if (entry := CATALOG.entries[key]).segment == "settings"
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
    if not watched and not series_with_methods(seen):
        raise NotTried(Omission("no setting was read once more", BUDGET))
    looks = {key: look for key in watched if (look := _last_look(seen, key))}
    for key in watched:
        moved = moved_read(seen, key)
        if moved is None:
            continue
        answers, first = seen.group(after_group(key)), seen.reads["settings", key]
        reads = [one for one in answers if one.key == key]
        sent = steps_of(key, answers).cause
        told = f"{key.partition('.Setting.')[2]} was {quoted(first.value)} and then {quoted(moved.value)}"
        if sent is None:
            if len(reads) == len(answers):  # nothing was sent between them
                seen.want(after_group(key))
            raise Inconclusive(f"{told}, though the run only read; perhaps somebody else did it", moved)
        cause = next(answer for answer in answers if sent_in(answer) == sent)
        request = cause.exchange.request
        walk = ", ".join(quoted(read.value) for read in reads[-2 * CHANGES :])
        raise Deviation(
            f"{told}: each {request.method} of {request.url} changes it, and without one it stays: {walk};"
            " document says a setting moves by writes",
            cause,
            beside=answers[answers.index(cause) + 1 :][: 2 * CHANGES - 1],
        )
    blind = next(((key, look) for key, look in looks.items() if not look.has_value), None)
    if blind:
        key, look = blind
        raise Inconclusive(f"{key.partition('.Setting.')[2]} could not be read at last: {look.words}", look)
    if watched and not looks:
        raise Inconclusive("no setting was read once more")
    count = f"{len(looks)} setting{'' if len(looks) == 1 else 's'}"
    return f"{count} read as before all that was read"


def _last_look(seen: View, key: str) -> Answer | None:
    """The last read of a setting after all that only reads; None where it was not read any more."""
    reads = [
        one for one in seen.group(after_group(key)) if one.key == key and one.exchange.purpose == "repeat"
    ]
    return reads[-1] if reads else None


def moved_read(seen: View, key: str) -> Answer | None:
    """A plain read beside generated requests, or after them, that shows another value than the first one."""
    first = seen.reads["settings", key].value
    groups = (group for group in seen.groups if group in GENERATED or group == after_group(key))
    shown = (one for group in groups for one in seen.groups[group] if one.has_value)
    own = (one for one in shown if (one.ha_id, one.key) == (seen.appliance.ha_id, key))
    plain = (one for one in own if one.exchange.purpose == "repeat")
    return next((one for one in plain if not same(one.value, first)), None)
