"""A lane in which each request is answered from what was seen."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from msgspec.structs import replace

from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import Remark
from conformance.checks.traces.effects import Effects
from conformance.checks.view import View
from conformance.harness.steps import Ask
from conformance.harness.writes.asking import Lane


class Answering(Lane):
    """Answers as an appliance was found, and as it was seen once it was written to.

    Attributes:
        name, found, gate: as of a lane of a run.
        asked: what it was asked.
        pauses: how long it paused each time, in seconds.
        remarks: what was to be kept.
    """

    def __init__(
        self, found: View, written: View | None = None, gate: Any = None, *, errs: bool = False
    ) -> None:
        """Where it `errs`, it meets an error at the first request."""
        self.name = found.appliance.ha_id
        self.gate = gate
        self.found = self.seen = found
        self.effects = Effects(found)
        self._errs = errs
        self._seen, self._written = found, written or found
        self.asked: list[Ask] = []
        self.pauses: list[float] = []
        self.remarks: list[Remark] = []

    def ask(self, ask: Ask) -> Answer:
        """As it was seen last."""
        self.asked.append(ask)
        self._seen = self._written if ask.purpose == "write" else self._seen
        answer = self._seen.reads[ask.segment, ask.key]
        is_error = self._errs and len(self.asked) == 1
        return replace(answer, outcome=Outcome.SERVERERR) if is_error else answer

    def looked_at(self) -> AbstractContextManager[None]:
        """Nobody looks."""
        return nullcontext()

    def pause(self, seconds: float) -> None:
        """Takes no time."""
        self.pauses.append(seconds)

    def remark(self, remark: Remark) -> None:
        """Takes it down."""
        self.remarks.append(remark)
