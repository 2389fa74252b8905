"""What is to be made again of what was written: the one place where a run decides that for writes.

What came otherwise than it should is made again as a whole and alone, with each write waited for, until the
judge of the run calls it certain, or it is gone. What is judged then is that alone (`View.group`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import WRITES, Remark
from conformance.checks.groups import Group
from conformance.checks.reads.tries import odds
from conformance.checks.traces.effects import Effect, effect_of
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.traces.trace import trace_of
from conformance.checks.view import View
from conformance.harness.reads.repeats import tries_ended
from conformance.harness.writes.batches import Made, disturbed
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.harness.writes.procedures.scripts import Played
from conformance.model.json_values import same

IsOpen: TypeAlias = Callable[[View, Group], bool]
"""Whether a case of an appliance that rests on a procedure is neither certain nor gone."""


class Unsure:
    """Says what is to be made again.

    Attributes:
        doubted: by haId and procedure what came of its last play that may be the doing of somebody else: what
            was written, or shown first of another appliance, and the read that shows it.
    """

    def __init__(self, view: Callable[[str], View], is_open: IsOpen) -> None:
        """`view` is what was seen of an appliance so far; `is_open` asks the judge of the run."""
        self._view = view
        self._is_undecided = is_open
        self.doubted: dict[tuple[str, Group], tuple[object, Answer]] = {}

    def of(self, made: Iterable[Made], seen: View, plays: int) -> list[WriteProcedure]:
        """Those of a batch that are to be made again after so many `plays`, or that these may have disturbed.

        `seen` is the appliance as it was known before.
        """
        made = [*made]
        odd = [one for one in made if self._is_open(one, seen.appliance.ha_id, plays)]
        return [
            one.procedure
            for one in made
            if any(other is one or disturbed(other.procedure, one.procedure, seen) for other in odd)
        ]

    def _is_open(self, one: Made, ha_id: str, plays: int) -> bool:
        """Whether one came otherwise than it should and was cut short by that, or would tell more."""
        if one.error or (ha_id, one.procedure.group) in self.doubted:
            return one.error is None
        if one.is_well or not (one.is_patient and isinstance(one, Played)):
            return not one.is_well
        return self._is_undecided(self._view(ha_id), one.group) and plays < self._most_plays(one)

    def _most_plays(self, one: Played) -> int:
        """How often a script is played at most.

        A server error is a refusal only where it comes back so often that chance does not explain it; where a
        refusal convicts nobody, that need not be known.
        """
        answers = self._answers(one)
        now = odds(one.seen, answers)
        is_to_be_known = any(one.procedure.convicts(one.seen, key) for key in _met_by_errors(answers))
        return max(TIMES, now.needed) if is_to_be_known and now.is_within_budget else TIMES

    def tries_ended(self, made: Iterable[Made]) -> Iterator[Remark]:
        """How often writes were tried that met errors, where these are not made again."""
        for one in made:
            if isinstance(one, Played) and one.is_patient:
                answers = self._answers(one)
                for key, tries in _met_by_errors(answers).items():
                    yield tries_ended(one.seen, one.group, key, tries, answers)

    def _answers(self, one: Played) -> Sequence[Answer]:
        """All that came of a procedure, however often it was made."""
        return self._view(one.seen.appliance.ha_id).made.get(one.group, ())


def odd_in(one: Played) -> tuple[object, Answer] | None:
    """What came otherwise than it should, and may be the doing of somebody else.

    It is what was written, or what another appliance showed first, and the read that shows something else.
    """
    found: tuple[object, Answer] | None = None
    for attempt in trace_of(one.answers):
        effect, read = effect_of(one.seen, attempt), attempt.last_read()
        is_dropped = attempt.is_acknowledged and effect is not Effect.TOOK
        if read and (is_dropped or effect in {Effect.REVERTED, Effect.OTHER}):
            found = attempt.value, read
    first: dict[tuple[str, str], Answer] = {}
    for read in one.answers:
        if read.ha_id != one.seen.appliance.ha_id and read.has_value:
            before = first.setdefault((read.ha_id, read.key), read)
            found = found if same(before.value, read.value) else (before.value, read)
    return found


def has_taken_all(one: Played) -> bool:
    """Whether all that a script is about took what was written to it, and kept it."""
    took = {each.key for each in trace_of(one.answers) if effect_of(one.seen, each) is Effect.TOOK}
    return took.issuperset(one.procedure.writes)


def _met_by_errors(answers: Iterable[Answer]) -> dict[str, int]:
    """How often the keys were written of which a write was met by a server error."""
    writes = [answer for answer in answers if answer.exchange.purpose in WRITES]
    often = Counter(answer.exchange.key for answer in writes)
    return {one.exchange.key: often[one.exchange.key] for one in writes if one.outcome is Outcome.SERVERERR}
