"""The cooling modes: each is switched on and off, and all setpoints are watched (lines 48 to 53)."""

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from catalog.keys import COOLING_MODES, TEMPERATURE_UNIT
from catalog.model import Catalog
from conformance.checks.answer import Answer
from conformance.checks.groups import Group, ProcedureKind, Purpose
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    ask_all,
    begin_writing,
    could_be_written,
    end_writing,
    look_at_statuses,
    write_until_read_back,
)
from conformance.harness.writes.procedures.under_locks import write_under
from conformance.model.couplings import controllers_of, kept_with
from conformance.model.json_values import same
from conformance.model.state_table import is_setpoint


class CoolingMode(WriteProcedure):
    """Switches one mode on and off while no other is on; a second time where a setpoint moved."""

    kind = ProcedureKind.MODE
    turn = 1
    is_shareable = is_followed = True

    def watches(self, catalog: Catalog) -> set[str]:
        """What may lock it, the setpoints, and what it keeps."""
        return WriteProcedure.watches(self, catalog) | self._kept(catalog)

    def looks_at(self, seen: View) -> set[str]:
        """The setpoints and their unit; another mode may be switched on while it only looks."""
        keys = self._kept(seen.catalog)
        return {*self.writes, *controllers_of(seen.catalog, self.group.subject), TEMPERATURE_UNIT, *keys}

    def _kept(self, catalog: Catalog) -> set[str]:
        """What is looked at while it is on."""
        return {*filter(is_setpoint, catalog.entries), *kept_with(catalog, self.group.subject)}

    def rests_on(self, seen: View) -> set[str]:
        """The other modes, too."""
        return WriteProcedure.rests_on(self, seen) | {*COOLING_MODES}

    def steps(self, stage: Stage) -> Part[bool]:
        """Off, on, off, each with a look at the setpoints; while it is on, a write of something else."""
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        once = stage.is_shared
        before = yield from begin_writing(seen, entry.key, group)
        if before is None:
            return not (once and could_be_written(seen, entry))
        others = [key for key in COOLING_MODES if key != entry.key and seen.value(key) is not None]
        shown = yield from look(seen, [*others, TEMPERATURE_UNIT], group)
        if any(
            answer.value is True or (answer.is_error and answer.exchange.key in others) for answer in shown
        ):
            return not once
        if before.value is True and (
            once or not (yield from write_until_read_back(seen, entry, value=False, group=group))
        ):
            return not once
        kept = self._kept(seen.catalog)
        setpoints = [key for key in seen.tried if key in kept and seen.value(key) is not None]
        reads = setpoints * (1 if once else TIMES)  # what moves among others is looked at more closely alone
        took = True
        for turn in range(TIMES):
            quiet = yield from look(seen, reads, group)
            took = yield from write_until_read_back(seen, entry, value=True, group=group, once=once)
            if once and not took:
                return False
            during = yield from look(seen, [*reads, TEMPERATURE_UNIT], group)
            yield from look_at_statuses(seen, group)
            is_needed = took and not turn and Purpose.NEIGHBOURS in self.purposes
            stayed = not is_needed or (yield from write_under(seen, entry.key, group))
            took = yield from write_until_read_back(
                seen, entry, value=False, group=group, once=once, is_last=True
            )
            after = yield from look(seen, setpoints, group)
            was = {answer.exchange.key: answer.value for answer in quiet}
            if all(
                same(answer.value, was.get(answer.exchange.key, answer.value)) for answer in (*during, *after)
            ) and (stayed or not once):
                break
            if once:
                return False
            if turn + 1 < TIMES:
                yield from _set_again(seen, quiet, after, group)
        yield from end_writing(seen, group)
        return took or not once


def _set_again(seen: View, quiet: Sequence[Answer], after: Sequence[Answer], group: Group) -> Part[None]:
    """Writes back the setpoints that a mode left moved, so that a second try starts from the same state."""
    for before, now in zip(quiet, after, strict=False):
        key = before.exchange.key
        moved = before.has_value and now.has_value and not same(now.value, before.value)
        if moved and seen.profile.may_write(key):
            yield from write_until_read_back(
                seen, seen.catalog.entries[key], cast("JsonValue", before.value), group
            )


def look(seen: View, keys: list[str], group: Group) -> Part[list[Answer]]:
    """Reads some settings, those that are served."""
    return (yield from ask_all([reread(seen, key, group) for key in keys if seen.value(key) is not None]))
