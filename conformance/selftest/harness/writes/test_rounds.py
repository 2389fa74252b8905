"""In one round nothing is written to an appliance that is watched for another one."""

from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, ECO_MODE, LIGHTING, POWER_STATE
from conformance.checks.groups import isolation_group
from conformance.checks.view import View
from conformance.harness.writes.lanes import Lane
from conformance.harness.writes.procedures.registry import procedure_of
from conformance.harness.writes.rounds import Order, first_rounds, last_rounds
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value, write_table


def views_of(fleet: dict[str, tuple[str, ...]]) -> dict[str, View]:
    """What was seen of appliances that serve some settings, each compared with all others."""
    profile = profile_of(write=write_table("*"))
    return {
        ha_id: replace(
            seen_of(profile, *(value(key, shown=False) for key in keys)),
            appliance=profile.appliance[0].model_copy(update={"ha_id": ha_id}),
            companions=tuple(other for other in fleet if other != ha_id),
        )
        for ha_id, keys in fleet.items()
    }


def rounds_of(fleet: dict[str, tuple[str, ...]], *devices: tuple[str, ...]) -> list[dict[str, list[str]]]:
    """The rounds of appliances that serve some settings, by haId; of each the keys that are written.

    Each is a device of its own where no `devices` are given.
    """
    views = views_of(fleet)
    own = devices or [(ha_id,) for ha_id in fleet]
    everything = (CHILD_LOCK, ECO_MODE, LIGHTING, POWER_STATE)
    planned = {ha_id: [procedure_of(isolation_group(key)) for key in everything] for ha_id in fleet}
    rounds = [
        *first_rounds(planned, views, own),
        *last_rounds(planned, views, own),
    ]
    return [{ha_id: [one.group.subject for one in own] for ha_id, own in made.items()} for made in rounds]


ROUNDS = {
    "a lamp beside a refrigerator": (
        {"lamp": (LIGHTING,), "fridge": (ECO_MODE,)},
        [{"lamp": [LIGHTING], "fridge": [ECO_MODE]}],
    ),
    "one lamp after the other": (
        {"lamp": (LIGHTING,), "other": (LIGHTING,), "fridge": (ECO_MODE,)},
        [{"lamp": [LIGHTING], "fridge": [ECO_MODE]}, {"other": [LIGHTING]}],
    ),
    "a lamp that is watched": (
        {"lamp": (LIGHTING,), "both": (LIGHTING, ECO_MODE)},
        [{"lamp": [LIGHTING]}, {"both": [ECO_MODE, LIGHTING]}],
    ),
    "those that are not compared": (
        {"lamp": (LIGHTING,), "second": (LIGHTING,), "third": (LIGHTING,), "fourth": (LIGHTING,)},
        [{"lamp": [LIGHTING]}, {"second": [LIGHTING]}, {"third": [LIGHTING], "fourth": [LIGHTING]}],
    ),
    "power states last": (
        {"lamp": (POWER_STATE, LIGHTING), "fridge": (ECO_MODE,)},
        [{"lamp": [LIGHTING], "fridge": [ECO_MODE]}, {"lamp": [POWER_STATE]}],
    ),
    "what moves nothing first": (
        {"lamp": (LIGHTING, CHILD_LOCK), "fridge": (ECO_MODE, CHILD_LOCK)},
        [{"lamp": [CHILD_LOCK]}, {"fridge": [CHILD_LOCK]}, {"lamp": [LIGHTING], "fridge": [ECO_MODE]}],
    ),
}


@pytest.mark.parametrize("name", ROUNDS)
def test_nobody_is_written_to_who_is_watched(name: str) -> None:
    """Whoever serves what is written to another appliance has its turn in another round."""
    fleet, rounds = ROUNDS[name]
    assert rounds_of(fleet) == rounds


def test_one_device_is_written_to_by_one_name_at_a_time() -> None:
    """Two haIds of one appliance have their turns in two rounds, whatever they serve."""
    fleet = {"fridge": (ECO_MODE,), "its light": (LIGHTING,)}
    assert rounds_of(fleet, ("fridge", "its light")) == [{"fridge": [ECO_MODE]}, {"its light": [LIGHTING]}]


def test_whoever_compares_waits_for_those_alone_that_are_in_its_way() -> None:
    """Those that write to its device, under any name, or watch it, or that write to what it watches."""
    lamp, fridge, lamp_again, other, light, last = (
        Lane(ha_id, Mock(), Mock()) for ha_id in ("lamp", "fridge", "lamp", "other", "light", "fridge")
    )
    order = Order([("lamp",), ("other",), ("fridge", "light")])
    order.add({lamp: {"other"}, fridge: ()})
    order.add({lamp_again: (), other: (), light: ()})
    order.add({last: {"other"}})
    assert [lamp_again.after, other.after, light.after] == [{lamp}, {lamp}, {fridge}]
    assert last.after == {fridge, light, other}
