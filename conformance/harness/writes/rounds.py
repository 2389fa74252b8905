"""Which appliances are compared at once (ADDR-HAID-ISOLATION): those that can have nothing to do with it.

Whoever serves a setting may be watched while it is written to another appliance. So in one round nothing is
written to an appliance that serves one of the settings that are written to the others. Nor is one device
written to by two of its haIds.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from catalog.keys import POWER_STATE
from conformance.checks.view import View
from conformance.harness.writes.procedures.isolation import Isolation
from conformance.harness.writes.procedures.model import WriteProcedure

Round: TypeAlias = dict[str, list[WriteProcedure]]
"""What is written at once, by haId."""


def first_rounds(planned: Mapping[str, Iterable[WriteProcedure]], views: Mapping[str, View]) -> list[Round]:
    """What is compared before anything else is written: one appliance after the other, many settings at once.

    Most appliances have these settings, so that hardly two of them could be in one round.
    """
    compared = _compared(planned, views).items()
    return [{ha_id: made} for ha_id, own in compared if (made := [one for one in own if one.is_first])]


def last_rounds(
    planned: Mapping[str, Iterable[WriteProcedure]],
    views: Mapping[str, View],
    devices: Iterable[Collection[str]],
) -> list[Round]:
    """What is compared at the end, since it moves other settings of its appliance; power states last.

    `devices` are the haIds that are one device each.
    """
    device_of = {ha_id: number for number, names in enumerate(devices) for ha_id in names}
    compared = _compared(planned, views)
    rounds: list[Round] = []
    for is_power in (False, True):
        coming: list[Round] = []
        for ha_id, own in compared.items():
            made = [one for one in own if not one.is_first and (one.group.subject == POWER_STATE) is is_power]
            apart = [each for each in coming if device_of[ha_id] not in {device_of[other] for other in each}]
            found = next((each for each in apart if made and _may_join(ha_id, made, each, views)), None)
            if found is not None:
                found[ha_id] = made
            elif made:
                coming.append({ha_id: made})
        rounds += coming
    return rounds


def _compared(
    planned: Mapping[str, Iterable[WriteProcedure]], views: Mapping[str, View]
) -> dict[str, list[WriteProcedure]]:
    """The procedures that compare appliances, of settings that these serve or may be hiding."""
    return {
        ha_id: [
            one
            for one in own
            if isinstance(one, Isolation) and (one.is_served(views[ha_id]) or one.may_be_hidden(views[ha_id]))
        ]
        for ha_id, own in planned.items()
    }


def _may_join(ha_id: str, own: Sequence[WriteProcedure], made: Round, views: Mapping[str, View]) -> bool:
    written = _keys_of(own)
    theirs = {other: _keys_of(procedures) for other, procedures in made.items()}
    return all(
        written.isdisjoint(keys)
        and not _serves_one_of(views[other], written)
        and not _serves_one_of(views[ha_id], keys)
        for other, keys in theirs.items()
    )


def _keys_of(procedures: Iterable[WriteProcedure]) -> set[str]:
    return {key for one in procedures for key in one.writes}


def _serves_one_of(seen: View, keys: Iterable[str]) -> bool:
    return any(seen.value(key) is not None for key in keys)
