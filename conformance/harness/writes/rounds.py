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


def first_rounds(
    planned: _Procedures, views: Mapping[str, View], devices: Iterable[Collection[str]]
) -> list[Round]:
    """What is compared before anything else is written: what moves no other setting.

    `devices` are the haIds that are one device each.
    """
    return _rounds(planned, views, devices, lambda one: one.is_first)


def last_rounds(
    planned: _Procedures, views: Mapping[str, View], devices: Iterable[Collection[str]]
) -> list[Round]:
    """What is compared at the end, since it moves other settings of its appliance; power states last.

    `devices` are the haIds that are one device each.
    """
    devices = list(devices)
    others = _rounds(
        planned, views, devices, lambda one: not one.is_first and one.group.subject != POWER_STATE
    )
    return others + _rounds(planned, views, devices, lambda one: one.group.subject == POWER_STATE)


def _rounds(
    planned: _Procedures,
    views: Mapping[str, View],
    devices: Iterable[Collection[str]],
    is_made: Callable[[Isolation], bool],
) -> list[Round]:
    """The rounds of what compares appliances, of settings that these serve or may be hiding."""
    device_of = {ha_id: number for number, names in enumerate(devices) for ha_id in names}
    rounds: list[Round] = []
    watched: dict[str, set[int]] = {}
    for ha_id, own in planned.items():
        seen = views[ha_id]
        made = [one for one in own if isinstance(one, Isolation) and is_made(one)]
        made = [one for one in made if one.is_served(seen) or one.may_be_hidden(seen)]
        others = [other for one in made for other in Stage(seen, views).others_with(one.group.subject)]
        watched[ha_id] = {device_of.get(other.appliance.ha_id, -1) for other in others}
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


class Order:
    """Lanes in their order: each waits for those before it, of its device and of what it is compared with."""

    def __init__(self, views: Mapping[str, View], devices: Iterable[Collection[str]]) -> None:
        """Has no `lanes` yet; `devices` are the haIds that are one device each."""
        self.lanes: list[Lane] = []
        self._views = views
        self._device_of = {ha_id: names for names in devices for ha_id in names}
        self._of: dict[str, list[Lane]] = {}

    def add(self, lanes: Sequence[Lane]) -> None:
        """Adds lanes that may run side by side, after those that were added before."""
        for lane in lanes:
            own = self._device_of[lane.name]
            compared = {other for ha_id in own for other in self._views[ha_id].companions}
            lane.after = {earlier for ha_id in {*own, *compared} for earlier in self._of.get(ha_id, ())}
        for lane in lanes:
            for ha_id in self._device_of[lane.name]:
                self._of.setdefault(ha_id, []).append(lane)
        self.lanes += lanes
