"""PROT-ERRORS: generated requests that a server answers with an error of its own, or not at all (line 163).

A generated value counts, too: one that is met with an error, or after which its setting can be read no more.
The document shows no errors, so they are observed. Where the profile says that they are failures
(interpretation.server_errors), one that comes each time is a fail.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from catalog.keys import short_name
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.generated.mutations import METHODS, generated_group
from conformance.checks.generated.probes import Probe, length, probes_of
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.reads.tries import Odds, noted
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.traces.trace import Attempt, trace_of
from conformance.checks.verdict import Deviation
from conformance.checks.view import View
from conformance.model.json_values import quoted, same


def note_errors_of_generated(case: Case, seen: View) -> str:
    """PROT-ERRORS: how many generated requests met an error, and the shortest that shows it.

    Raises:
        Deviation: with `server_errors = "fail"`, when one met an error on every one of its tries, while
            the plain reads between them gave values, and chance does not explain that.
    """
    told = _of_requests(case, seen)
    values = [attempt for group in _edges(seen) for attempt in trace_of(seen.groups[group])]
    if not values:
        return told
    broken = [attempt for attempt in values if _breaks(attempt)]
    if not broken:
        return f"{told}; {len(values)} generated values, no server error"
    certain = _repeated(broken) if case.profile.interpretation.server_errors == "fail" else []
    shortest = min(certain or broken, key=lambda attempt: len(str(attempt.value)))
    name = short_name(shortest.key)
    shown = next((read for read in shortest.reads() if is_broken(read)), shortest.answer)
    told = (
        f"{told}; {len(broken)} of {len(values)} generated values met an error; the shortest: wrote"
        f" {quoted(shortest.value)} to {name}, {shortest.words}, then {shown.words}"
    )
    seen.look_at(shortest.answer, shown)
    if certain:
        raise Deviation(f"{told}; {TIMES} times or more", shown, beside=[shortest.answer])
    return told


def _repeated(broken: Sequence[Attempt]) -> list[Attempt]:
    """The attempts whose value was written to the same setting as often as a finding needs."""
    return [
        one
        for one in broken
        if sum(other.key == one.key and same(other.value, one.value) for other in broken) >= TIMES
    ]


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


def _of_requests(case: Case, seen: View) -> str:
    probes = probes_of(seen)
    broken = [probe for probe in probes if is_broken(probe.first)]
    if not broken:
        return f"{len(probes)} generated requests, no server error"
    shortest = min(broken, key=lambda probe: (length(probe), probe.first.n))
    seen.look_at(shortest.first)
    named = [probe for probe in broken if probe.mutation not in METHODS]
    if named and _noted(seen, tried := min(named, key=length)) is None:
        seen.want(tried.first)
    dropped = sum(probe.first.outcome is Outcome.TRANSPORT for probe in broken)
    told = (
        f"{len(broken)} of {len(probes)} generated requests met an error, {dropped} of them no response; the"
        f" shortest: {shortest.words}, answered {shortest.first.words}"
    )
    if case.profile.interpretation.server_errors == "fail":
        shown = [probe for probe in broken if _is_certain(seen, probe)]
        if shown:
            probe = min(shown, key=length)
            raise Deviation(
                f"{told}; each of {len(probe.asked)} tries did", probe.asked[-1], beside=probe.plain[-1:]
            )
    return told


def is_broken(answer: Answer) -> bool:
    """Whether an answer is an error of the server, or none came; a bound of the suite's own is neither."""
    if answer.is_unreadable:
        return False
    return answer.outcome is Outcome.SERVERERR or (
        answer.outcome is Outcome.TRANSPORT and answer.exchange.failure is not None
    )


def _is_certain(seen: View, probe: Probe) -> bool:
    if not all(is_broken(answer) for answer in probe.asked) or not probe.plain:
        return False
    odds = _noted(seen, probe)
    answered = all(answer.has_value for answer in probe.plain)
    return answered and odds is not None and odds.are_met_by(len(probe.asked))


def _noted(seen: View, probe: Probe) -> Odds | None:
    """The odds at the end of its tries; None where it was not made again."""
    return noted(seen, generated_group(probe.part, probe.mutation), probe.entry.key)
