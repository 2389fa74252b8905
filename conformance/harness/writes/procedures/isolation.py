"""Compares appliances with each other (line 8), each while nobody writes to those that it watches.

A setting is written, and the same setting of other appliances is watched beside it.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from pydantic import JsonValue

from catalog.keys import POWER_STATE, short_name
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import ProcedureKind
from conformance.checks.traces.effects import are_told_apart
from conformance.checks.verdict import Deviation, Judgement
from conformance.checks.view import View
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.settings import isolated
from conformance.harness.steps import Ask, locking_reads, reread
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, WriteProcedure, serving_beside
from conformance.harness.writes.procedures.scripts import Played, Scripted, Step, Wait
from conformance.model.couplings import is_coupled, write_controllers_of
from conformance.model.json_values import same
from conformance.profiles.fleet.companions import devices_of, units_of
from conformance.profiles.model import Profile


class Isolation(Scripted):
    """Writes another value, and the old one, and reads the setting of the other appliances after each."""

    kind = ProcedureKind.ISOLATION
    turn = 0
    is_by_itself = True

    def rests_on(self, seen: View) -> set[str]:  # noqa: ARG002  the same of every appliance
        """What may lock it; what else moves on its own appliance tells nothing of the others."""
        return {*self.writes, *write_controllers_of(self.group.subject)}

    def is_served(self, seen: View) -> bool:
        """Whether another appliance serves the setting, too."""
        return bool(serving_beside(seen, self.group.subject)) and Scripted.is_served(self, seen)

    def may_be_hidden(self, seen: View) -> bool:
        """Whether it may be compared once what hides it has ended."""
        return bool(serving_beside(seen, self.group.subject)) and Scripted.may_be_hidden(self, seen)

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """The setting of the other appliances."""
        key = self.group.subject
        return [reread(other, key, self.group) for other in stage.others_with(key)]

    def known(self, stage: Stage) -> Iterable[Answer]:
        """What the others showed first: who takes what is written here shows it whatever it showed since."""
        key = self.group.subject
        others = () if self.group.alone else stage.others_with(key)
        return [other.reads[CATALOG.entries[key].segment, key] for other in others]

    def opening(self, stage: Stage) -> Iterable[Ask]:
        """Also of the others where the setting is written once more, alone."""
        seen, keys = stage.seen, [self.group.subject]
        own = (*locking_reads(seen, keys, self.group), self.own_read(seen, *keys))
        return (*own, *self.watched(stage)) if self.group.alone else own

    def was_expected(self, seen: View) -> bool:  # noqa: ARG002  the same of every appliance
        """Others write the setting, too."""
        return False

    def script(self, now: Played) -> Iterator[Step]:
        """Nothing where there is no other value to write.

        An appliance that has a value already would show nothing of a write of it, and one that has stayed has
        shown that it does.
        """
        key, silent = self.group.subject, tuple(self.watched(now.stage))
        before, entry = cast("Answer", now.first(key)), CATALOG.entries[key]
        reads = [read for ask in silent if (read := now.answer_to(ask))]
        value = _another(now.seen, entry, before, reads) if reads else None
        for each in (value, cast("JsonValue", before.value)) if value is not None else ():
            telling = tuple(
                ask for ask in silent if (read := now.answer_to(ask)) and not same(read.value, each)
            )
            yield Step(key, each, wait=Wait.QUIET if telling else Wait.NONE, watch=telling)
            silent = tuple(ask for ask in silent if ask not in telling or not now.was_right)


def _another(seen: View, entry: Entry, before: Answer, beside: Sequence[Answer]) -> JsonValue:
    """A value to write, one that is told from those of the others if there is one; None where there is none.

    Every power state can be left for On, but not for each of the others (lines 129 to 133).
    """
    values = choices.other_values(seen, entry, before)
    if entry.key == POWER_STATE and short_name(before.value) != "On":
        values = [value for value in values if short_name(value) == "On"]
    own, settle_s = seen.values(entry.key, before), seen.profile.timing.settle_seconds(entry.key)
    shown = [answer.value for answer in beside]
    new = [value for value in values if all(are_told_apart(own, value, one, settle_s) for one in shown)]
    return next(iter([*new, *values]), None)


@dataclass
class _Turn:
    """Appliances that are compared side by side, with the devices that are written to and watched."""

    names: list[str] = field(default_factory=list[str])
    written: set[str] = field(default_factory=set[str])
    watched: set[str] = field(default_factory=set[str])

    def may_hold(self, device: str, beside: Collection[str]) -> bool:
        """Whether a device may be written to that watches those `beside` it."""
        is_free = device not in self.written and device not in self.watched
        return is_free and self.written.isdisjoint(beside)


def turns_of(
    planned: Mapping[str, Iterable[WriteProcedure]],
    views: Mapping[str, View],
    profile: Profile,
) -> list[list[str]]:
    """The appliances to compare, those together of which none is watched while another one is written to.

    What moves with two of them at once may be the doing of either: it is written once more, alone.
    """
    device_of = {own.ha_id: device[0].ha_id for device in devices_of(profile) for own in device}
    turns: list[_Turn] = []
    for ha_id in (ha_id for unit in units_of(profile) for ha_id in unit if ha_id in planned):
        stage, own = Stage(views[ha_id], views), device_of[ha_id]
        keys = [one.group.subject for one in planned[ha_id] if one.kind is ProcedureKind.ISOLATION]
        beside = {device_of[other.appliance.ha_id] for key in keys for other in stage.others_with(key)}
        turn = next((turn for turn in turns if turn.may_hold(own, beside)), None)
        if turn is None:
            turns.append(turn := _Turn())
        turn.names.append(ha_id)
        turn.written.add(own)
        turn.watched |= beside
    return [turn.names for turn in turns]


def compared_first(procedures: Iterable[WriteProcedure]) -> list[list[WriteProcedure]]:
    """What compares an appliance before anything else is written: first what moves nothing else of it."""
    parts: list[list[WriteProcedure]] = [[], []]
    for one in procedures:
        if one.kind is ProcedureKind.ISOLATION and one.group.subject != POWER_STATE:
            parts[is_coupled(one.group.subject)].append(one)
    return parts


def compared_last(procedures: Iterable[WriteProcedure]) -> list[WriteProcedure]:
    """What compares its power state, when all else was written: it may not come back."""
    own = (one for one in procedures if one.kind is ProcedureKind.ISOLATION)
    return [one for one in own if one.group.subject == POWER_STATE]


def shared_by(cases: Iterable[Case], views: Mapping[str, View]) -> dict[str, str]:
    """Why some appliances are not written to any further, by haId.

    Cases show that one takes what is written to another: nothing would tell what came of which write.
    """
    found: dict[str, str] = {}
    for case in cases:
        if any(group.kind is ProcedureKind.ISOLATION for group in case.groups):
            try:
                judge_writes(isolated)(case, views[case.ha_id])
            except Deviation as shown:
                other = shown.answer.exchange.ha_id if shown.answer else ""
                for one, beside in (case.ha_id, other), (other, case.ha_id):
                    found.setdefault(one, f"it shares settings with {beside} ({case.clause.id})")
            except Judgement:  # nothing is known to be shared
                continue
    return found
