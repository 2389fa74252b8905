"""Which appliances are compared at once (ADDR-HAID-ISOLATION): those that can have nothing to do with it.

While a setting is written to an appliance, it is watched on its companions. So in one round nothing is
written to an appliance that is watched for another one, nor to one device by two of its haIds.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from catalog.keys import POWER_STATE
from conformance.checks.view import View
from conformance.harness.writes.lanes import Lane
from conformance.harness.writes.procedures.isolation import Isolation
from conformance.harness.writes.procedures.model import Stage, WriteProcedure

Round: TypeAlias = dict[str, list[WriteProcedure]]
"""What is written at once, by haId."""
_Procedures: TypeAlias = Mapping[str, Iterable[WriteProcedure]]


def joined(ha_ids: Sequence[str], ties: Iterable[set[str]]) -> list[list[str]]:
    """Appliances in their order, those together that are tied to each other, and so are one device."""
    devices: list[set[str]] = []
    for names in (*({ha_id} for ha_id in ha_ids), *ties):
        same_device = [device for device in devices if device & names]
        devices = [device for device in devices if not device & names]
        devices.append(names.union(*same_device))
    found = ([ha_id for ha_id in ha_ids if ha_id in device] for device in devices)
    return sorted((names for names in found if names), key=lambda names: ha_ids.index(names[0]))


def first_rounds(
    planned: _Procedures, views: Mapping[str, View], devices: Iterable[Collection[str]]
) -> list[Round]:
    """What is compared before anything else is written to the same appliance: what moves no other setting.

    `devices` are the haIds that are one device each.
    """
    return _rounds(planned, views, devices, Isolation.is_first)


def last_rounds(
    planned: _Procedures, views: Mapping[str, View], devices: Iterable[Collection[str]]
) -> list[Round]:
    """What is compared at the end, since it moves other settings of its appliance; power states last.

    `devices` are the haIds that are one device each.
    """
    devices = list(devices)
    others = _rounds(
        planned,
        views,
        devices,
        lambda one, seen: not one.is_first(seen) and one.group.subject != POWER_STATE,
    )
    return others + _rounds(planned, views, devices, lambda one, _: one.group.subject == POWER_STATE)


def _rounds(
    planned: _Procedures,
    views: Mapping[str, View],
    devices: Iterable[Collection[str]],
    is_made: Callable[[Isolation, View], bool],
) -> list[Round]:
    """The rounds of what compares appliances, of settings that these serve or may be hiding."""
    device_of = {ha_id: number for number, names in enumerate(devices) for ha_id in names}
    rounds: list[Round] = []
    watched: dict[str, set[int]] = {}
    for ha_id, own in planned.items():
        seen = views[ha_id]
        made = [one for one in own if isinstance(one, Isolation) and is_made(one, seen)]
        made = [one for one in made if one.is_served(seen) or one.may_be_hidden(seen)]
        stage = Stage(seen, views)
        # a batch begins with the last: what nobody else serves takes no place of what is compared
        made.sort(key=lambda one: bool(stage.others_with(one.group.subject)))
        watched[ha_id] = {device_of.get(other, -1) for other in watched_for(made, views, ha_id)}
        busy = watched[ha_id] | {device_of[ha_id]}
        free = (
            each
            for each in rounds
            if not any(device_of[other] in busy or device_of[ha_id] in watched[other] for other in each)
        )
        found = next(free, None) if made else {}
        if found is None:
            rounds.append({ha_id: [*made]})
        else:
            found[ha_id] = [*made]
    return rounds


def watched_for(made: Iterable[WriteProcedure], views: Mapping[str, View], ha_id: str) -> set[str]:
    """The appliances that are watched while those procedures compare one with others."""
    stage = Stage(views[ha_id], views)
    others = (other for one in made for other in stage.others_with(one.group.subject))
    return {other.appliance.ha_id for other in others}


class Order:
    """Lanes in their order: each waits for those before it that are in its way.

    Those are in its way that write to its device or watch it, and that write to what it watches itself.
    """

    def __init__(self, devices: Iterable[Collection[str]]) -> None:
        """Has no `lanes` yet; `devices` are the haIds that are one device each."""
        self.lanes: list[Lane] = []
        self._device_of = {ha_id: names for names in devices for ha_id in names}
        self._writing: dict[str, list[Lane]] = {}
        self._watching: dict[str, list[Lane]] = {}

    def add(self, lanes: Mapping[Lane, Collection[str]]) -> None:
        """Adds lanes that may run side by side, each with what it watches, after those added before."""
        for lane, watched in lanes.items():
            own = {*self._device_of[lane.name]}
            lane.after = {one for ha_id in own.union(watched) for one in self._writing.get(ha_id, ())}
            lane.after |= {one for ha_id in own for one in self._watching.get(ha_id, ())}
        for lane, watched in lanes.items():
            for ha_id in self._device_of[lane.name]:
                self._writing.setdefault(ha_id, []).append(lane)
            for ha_id in watched:
                self._watching.setdefault(ha_id, []).append(lane)
        self.lanes += lanes
