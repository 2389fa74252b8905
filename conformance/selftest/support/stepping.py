"""The steps of a procedure, answered from what was seen."""

from collections.abc import Iterator
from contextlib import suppress

from conformance.checks.view import View
from conformance.harness.steps import Ask, Part, Pause, Step


def pauses_of(procedure: Part[object], found: View, written: View | None = None) -> Iterator[Pause]:
    """The pauses of a procedure."""
    return (step for step in steps_of(procedure, found, written) if isinstance(step, Pause))


def steps_of(procedure: Part[object], found: View, written: View | None = None) -> Iterator[Step]:
    """The steps of a procedure in which each request is answered as it was first read, or once it wrote."""
    seen = found
    with suppress(StopIteration):
        step = next(procedure)
        while True:
            yield step
            if not isinstance(step, Ask):
                step = next(procedure)
                continue
            seen = written if written and step.purpose == "write" else seen
            step = procedure.send(seen.reads[step.segment, step.key])
