"""The cooling modes: each is switched on and off, and all setpoints are watched (lines 48 to 53)."""

from collections.abc import Iterable, Iterator, Sequence

from catalog.keys import COOLING_MODES, TEMPERATURE_UNIT
from catalog.model import Catalog
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.procedures.model import Stage
from conformance.harness.writes.procedures.parts import status_reads
from conformance.harness.writes.procedures.script_steps import Beside, ScriptWrite, Step
from conformance.harness.writes.procedures.scripts import Played, Scripted
from conformance.harness.writes.procedures.under_locks import coming_back, read_under, written_under
from conformance.model.couplings import controllers_of, kept_with, write_controllers_of
from conformance.model.state_table import is_setpoint


class CoolingMode(Scripted):
    """Switches one mode on and off while no other is on."""

    kind = ProcedureKind.MODE
    turn = 1
    is_shareable = True

    def _kept(self, catalog: Catalog) -> set[str]:
        """What is looked at while it is on."""
        return {*filter(is_setpoint, catalog.entries), *kept_with(catalog, self.group.subject)}

    def rests_on(self, seen: View) -> set[str]:
        """The setpoints and their unit, what may lock it, the other modes, and what it looks at beside."""
        catalog, mode = seen.catalog, self.group.subject
        movers = controllers_of(catalog, mode) | write_controllers_of(catalog, mode)
        beside = (ask.key for ask in self._read_under(seen))
        return {mode, *movers, *COOLING_MODES, TEMPERATURE_UNIT, *self._kept(catalog), *beside}

    def moves(self, seen: View) -> set[str]:
        """Also what is written while it is on."""
        return {self.group.subject, *(ask.key for ask in self._read_under(seen)[:1])}

    def _read_under(self, seen: View) -> Sequence[Ask]:
        """The reads of what is written while it is on, and of what that must not move."""
        is_needed = Purpose.NEIGHBOURS in self.purposes
        return read_under(seen, self.group.subject, self.group) if is_needed else ()

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """The other modes, the unit, and what is kept."""
        modes = (key for key in COOLING_MODES if key != self.group.subject)
        keys = [key for key in (*modes, TEMPERATURE_UNIT) if stage.seen.value(key) is not None]
        return (*(reread(stage.seen, key, self.group) for key in keys), *self._setpoints(stage.seen))

    def may_begin(self, now: Played) -> bool:
        """Whether no other mode is on."""
        others = [now.last(key) for key in COOLING_MODES if key != self.group.subject]
        is_free = not any(read and (read.value is True or read.is_error) for read in others)
        return is_free and Scripted.may_begin(self, now)

    def script(self, now: Played) -> Iterator[Step]:
        """Off, on, off, each with a look at the setpoints; while it is on, a write of something else."""
        seen, mode = now.seen, self.group.subject
        if now.value(mode) is True:
            yield self._write(now, is_on=False)
            if now.value(mode) is True:
                return
        under = self._read_under(seen)
        yield self._write(now, is_on=True, look=under)
        if under and now.value(mode) is True:
            yield from written_under(now, mode, self._kept(seen.catalog))
        yield self._write(now, is_on=False, beside=coming_back(now, mode) if under else None)

    def _write(
        self, now: Played, *, is_on: bool, look: Iterable[Ask] = (), beside: Beside | None = None
    ) -> ScriptWrite:
        unit = [
            reread(now.seen, key, self.group)
            for key in (TEMPERATURE_UNIT,)
            if now.seen.value(key) is not None
        ]
        statuses = status_reads(now.seen, self.group) if is_on else ()
        return ScriptWrite(
            self.group.subject,
            is_on,
            watch=self._setpoints(now.seen),
            look=(*(unit if is_on else ()), *statuses, *look),
            beside=beside,
        )

    def _setpoints(self, seen: View) -> tuple[Ask, ...]:
        kept = self._kept(seen.catalog)
        keys = (key for key in seen.tried if key in kept and seen.value(key) is not None)
        return tuple(reread(seen, key, self.group) for key in keys)
