"""Servers of two small appliances that record what they are asked, and registered ones that do so as well."""

from typing import cast

from catalog.keys import CHILD_LOCK, DOOR_STATE, POWER_STATE
from conformance.mutants.fleets import MACHINE, TIMED_OVEN
from conformance.mutants.registry import find_server
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply

MACHINE_ID = MACHINE.ha_id
OVEN_ID = TIMED_OVEN.ha_id


class Recording(Service):
    """The reference with a machine and an oven; `requests` are the method and the path of each request."""

    fleet = (MACHINE, TIMED_OVEN)

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, str]] = []

    def answer(self, request: Incoming) -> Reply:
        """Takes the request down, and answers as ever."""
        self.requests.append((request.method, request.path))
        return super().answer(request)

    def writes(self, ha_id: str = MACHINE_ID) -> list[str]:
        """The keys of an appliance that were written, in order, whatever came of it."""
        return [
            path.rpartition("/")[2]
            for method, path in self.requests
            if method != "GET" and f"/{ha_id}/" in path
        ]


class Small(Recording):
    """Two appliances of few keys, so that a run of every case is short."""

    fleet = (MACHINE.only(POWER_STATE, CHILD_LOCK, DOOR_STATE), TIMED_OVEN.only(CHILD_LOCK, DOOR_STATE))

    @property
    def written(self) -> set[str]:
        """The keys that anybody tried to write."""
        return {*self.writes(MACHINE_ID), *self.writes(OVEN_ID)}


def recorded(name: str) -> Recording:
    """The mutant or variant of this name, recording what it is asked."""
    server = find_server(name)
    bases = (Recording, server)
    return cast("Recording", type("Recorded", bases, {"fleet": server.fleet, "name": name})())
