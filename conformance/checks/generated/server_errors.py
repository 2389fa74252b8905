"""PROT-ERRORS: generated requests that a server answers with an error of its own, or not at all (line 163).

A generated value counts, too: one that is met with an error, or after which its setting can be read no more.
The document shows no errors, so they are observed, and nothing more.
"""

from msgspec.structs import replace

from catalog.keys import short_name
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.generated.probes import length, probes_of
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.traces.trace import Attempt, trace_of
from conformance.checks.view import View
from conformance.model.json_values import quoted


def note_errors_of_generated(_case: Case, seen: View) -> str:
    """PROT-ERRORS: how many generated requests met an error, and the shortest that shows it."""
    told = _of_requests(seen)
    values = [attempt for group in _edges(seen) for attempt in trace_of(seen.groups[group])]
    if not values:
        return told
    broken = [attempt for attempt in values if _breaks(attempt)]
    if not broken:
        return f"{told}; {len(values)} generated values, no server error"
    shortest = min(broken, key=lambda attempt: len(str(attempt.value)))
    name = short_name(shortest.key)
    shown = next((read for read in shortest.reads() if is_broken(read)), shortest.answer)
    seen.look_at(shortest.answer, shown)
    return (
        f"{told}; {len(broken)} of {len(values)} generated values met an error; the shortest: wrote"
        f" {quoted(shortest.value)} to {name}, {shortest.words}, then {shown.words}"
    )


def _edges(seen: View) -> list[Group]:
    """The groups of generated values; where one was made again alone, that."""
    return [
        group
        for group in seen.groups
        if group.kind is ProcedureKind.EDGE and (group.alone or replace(group, alone=True) not in seen.groups)
    ]


def _breaks(attempt: Attempt) -> bool:
    """Whether a write met an error, or each read of its setting after it, which had been read before."""
    before, reads = attempt.old_read(), attempt.reads()
    if before is None or not before.has_value:
        return False
    return is_broken(attempt.answer) or (bool(reads) and all(is_broken(read) for read in reads))


def _of_requests(seen: View) -> str:
    probes = probes_of(seen)
    broken = [probe for probe in probes if is_broken(probe.first)]
    if not broken:
        return f"{len(probes)} generated requests, no server error"
    shortest = min(broken, key=lambda probe: (length(probe), probe.first.n))
    seen.look_at(shortest.first)
    dropped = sum(probe.first.outcome is Outcome.TRANSPORT for probe in broken)
    return (
        f"{len(broken)} of {len(probes)} generated requests met an error, {dropped} of them no response; the"
        f" shortest: {shortest.words}, answered {shortest.first.words}"
    )


def is_broken(answer: Answer) -> bool:
    """Whether an answer is an error of the server, or none came; a bound of the suite's own is neither."""
    if answer.is_unreadable:
        return False
    return answer.outcome is Outcome.SERVERERR or (
        answer.outcome is Outcome.TRANSPORT and answer.exchange.failure is not None
    )
