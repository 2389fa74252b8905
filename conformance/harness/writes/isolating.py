"""Compares appliances with each other (ADDR-HAID-ISOLATION), each while nobody writes to those it watches."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from catalog.keys import POWER_STATE
from catalog.model import Catalog
from conformance.checks.case import Case
from conformance.checks.groups import ProcedureKind
from conformance.checks.verdict import Deviation, Judgement
from conformance.checks.view import View
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.sharing import isolated
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.model.couplings import is_coupled
from conformance.profiles.fleet.companions import devices_of, units_of
from conformance.profiles.model import Profile


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
    catalog: Catalog,
) -> list[list[str]]:
    """The appliances to compare, those together of which none is watched while another one is written to.

    What moves with two of them at once may be the doing of either: it is written once more, alone.
    """
    device_of = {own.ha_id: device[0].ha_id for device in devices_of(profile) for own in device}
    turns: list[_Turn] = []
    for ha_id in (ha_id for unit in units_of(profile, catalog) for ha_id in unit if ha_id in planned):
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


def compared_first(procedures: Iterable[WriteProcedure], catalog: Catalog) -> list[list[WriteProcedure]]:
    """What compares an appliance before anything else is written: first what moves nothing else of it."""
    parts: list[list[WriteProcedure]] = [[], []]
    for one in procedures:
        if one.kind is ProcedureKind.ISOLATION and one.group.subject != POWER_STATE:
            parts[is_coupled(catalog, one.group.subject)].append(one)
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
