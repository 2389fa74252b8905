"""The shapes that have to do with requests: other paths, other names, answers in place of the service's."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.reference.service import Service
from conformance.reference.wire import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Incoming, Json, Reply, Route


def paths(made: Callable[[str], str]) -> type[Service]:
    """A path is taken apart as the function makes it."""

    class Paths(Service):
        def route(self, request: Incoming) -> Route | None:
            return super().route(replace(request, path=made(request.path)))

    return Paths


def ha_ids(made: Callable[[str], str]) -> type[Service]:
    """A haId is looked up as the function makes it."""

    class HaIds(Service):
        def find(self, ha_id: str) -> Appliance | None:
            return super().find(made(ha_id))

    return HaIds


def takes_ha_id(is_near: Callable[[str, str], bool]) -> type[Service]:
    """A haId that is near a known one is taken for it."""

    class TakesHaId(Service):
        def find(self, ha_id: str) -> Appliance | None:
            known = (one for one in self.appliances if is_near(ha_id, one))
            return super().find(ha_id if ha_id in self.appliances else next(known, ha_id))

    return TakesHaId


def intercepts(reply: Callable[[Incoming], Reply | Refusal | None]) -> type[Service]:
    """A request gets what the function answers; where that is None, the answer of the service."""

    class Intercepts(Service):
        def answer(self, request: Incoming) -> Reply:
            found = reply(request)
            if found is None:
                return super().answer(request)
            return self.refuse(found) if isinstance(found, Refusal) else found

    return Intercepts


def amends(made: Callable[[Reply, Incoming], Reply]) -> type[Service]:
    """Every answer is sent as the function makes it."""

    class Amends(Service):
        def answer(self, request: Incoming) -> Reply:
            return made(super().answer(request), request)

    return Amends


def encodes(made: Callable[[bytes], bytes]) -> type[Service]:
    """The bytes of every entry are what the function makes of them."""

    class Encodes(Service):
        def encode(self, document: Json) -> bytes:
            return made(super().encode(document))

    return Encodes
