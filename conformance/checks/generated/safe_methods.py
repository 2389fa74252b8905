"""READ-SAFE: the other methods that HTTP calls safe change nothing either (line 10; RFC 9110, 9.2.1)."""

from __future__ import annotations

from itertools import pairwise

from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.generated.mutations import METHODS, Mutation, RequestPart, generated_group
from conformance.checks.premise import require_trust
from conformance.checks.verdict import Deviation, Inconclusive
from conformance.checks.view import View
from conformance.checks.wording import quoted

CHANGES = 6
"""How often a value has to change with the method, and to stay without it."""


def assert_safe_methods_change_nothing(_case: Case, seen: View) -> str:
    """HEAD and OPTIONS between plain reads leave every value that is read as it is."""
    require_trust(seen)
    series = series_with_methods(seen)
    if not series:
        raise Inconclusive("neither HEAD nor OPTIONS was sent in this run")
    seen.look_at(*(answers[-1] for answers in series.values()))
    for (mutation, key), answers in series.items():
        _leaves(mutation, key, answers)
    return f"{len(series)} series of reads with HEAD or OPTIONS between them"


def series_with_methods(seen: View) -> dict[tuple[Mutation, str], list[Answer]]:
    """The plain reads of a key and the requests with another method between them, by method and key."""
    series: dict[tuple[Mutation, str], list[Answer]] = {}
    for mutation in METHODS:
        for answer in seen.groups.get(generated_group(RequestPart.WHOLE, mutation), ()):
            series.setdefault((mutation, answer.exchange.key), []).append(answer)
    return series


def steps_of(answers: list[Answer]) -> tuple[list[bool], list[bool]]:
    """Whether the value changed from a read to the next: with the other method between them, and without."""
    with_method: list[bool] = []
    without: list[bool] = []
    reads = [place for place, answer in enumerate(answers) if answer.exchange.request.method == "GET"]
    for one, other in pairwise(reads):
        if answers[one].has_value and answers[other].has_value:
            changed = answers[one].value != answers[other].value
            (with_method if other - one > 1 else without).append(changed)
    return with_method, without


def _leaves(mutation: Mutation, key: str, answers: list[Answer]) -> None:
    changed, idle = steps_of(answers)
    if not any(changed):
        return
    method = mutation.name
    values = [quoted(answer.value) for answer in answers if answer.has_value]
    walk = ", ".join(values[:CHANGES])
    if len(changed) >= CHANGES and len(idle) >= CHANGES and all(changed) and not any(idle):
        raise Deviation(
            f"each {method} of {key} changes the value, and without one it stays: {walk}; document says a"
            " setting moves by writes",
            next(answer for answer in answers if answer.exchange.request.method == method),
            beside=answers[:CHANGES],
        )
    raise Inconclusive(f"{key} changed after {method}, perhaps by itself: {walk}", answers[-1])
