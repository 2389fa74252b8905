"""The shapes that have to do with requests: other paths, other names, other answers, errors at random."""

import hashlib
from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

from msgspec.structs import replace

from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Refusal, Reply, Route, dump

_ONE = 1 << 64
BAD_GATEWAY = Reply(502, b"<h1>Bad gateway</h1>", media_type="text/html")
INTERNAL = Reply(500, dump({"error": {"key": "500", "description": "Internal error"}}))


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


def moved_to(asked: Incoming, path: str, status: int = 308, origin: str = "") -> Reply:
    """A redirect to another path of the service that was asked; where no origin is named, without one."""
    return Reply(status, media_type=None, headers={"Location": f"{origin}{asked.prefix}{path}"})


def bars_writes(barrier: Reply | Refusal) -> type[Service]:
    """Every write gets this answer before anybody looks at it."""
    return intercepts(lambda asked: barrier if asked.method in {"PUT", "POST", "PATCH"} else None)


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


def server_error(_: Reply, word: int) -> Reply:
    """A server error in place of an answer, one of two."""
    return BAD_GATEWAY if word % 2 else INTERNAL


def half_a_body(reply: Reply, _: int) -> Reply:
    """An answer that ends before its Content-Length; one without a body stays."""
    return replace(
        reply,
        body=reply.body[: len(reply.body) // 2],
        headers={**reply.headers, "Content-Length": str(len(reply.body))},
    )


def no_answer(reply: Reply, _: int) -> Reply:
    """No answer: the connection is closed."""
    return replace(reply, drop=True)


class Leaving(Service):
    """From one request on everything is answered alike, or everything that is asked of one appliance.

    Attributes:
        after: how many requests are answered as they should be.
        says: what the later ones are answered.
        on: the appliance; empty for all.
        back_after: how many requests later it is there again; as a rule it stays away.
    """

    after: ClassVar[int]
    says: ClassVar[Refusal | Reply]
    on: ClassVar[str] = ""
    back_after: ClassVar[int] = 1_000_000
    asked: int = 0

    def answer(self, request: Incoming) -> Reply:
        self.asked += self.on in request.path
        is_away = self.after < self.asked <= self.after + self.back_after
        if self.on not in request.path or not is_away:
            return super().answer(request)
        return self.refuse(self.says) if isinstance(self.says, Refusal) else self.says


class ErringAtRandom(Service):
    """Some answers are errors; half of the writes that are answered with one have taken effect.

    Which ones depends on the seed, the path and how often that was asked, and on no other request.

    Attributes:
        share: how many of a hundred answers are errors.
        error: what becomes of such an answer.
        seed: another one makes other answers errors.
    """

    share: ClassVar[int]
    error: ClassVar[Callable[[Reply, int], Reply]] = staticmethod(server_error)
    seed: int = 1

    @cached_property
    def asked(self) -> Counter[str]:
        return Counter()

    def answer(self, request: Incoming) -> Reply:
        asked = f"{request.method} {request.path}"
        self.asked[asked] += 1
        digest = hashlib.sha256(f"{self.seed} {asked} {self.asked[asked]}".encode()).digest()
        word = int.from_bytes(digest[:8], "big")
        if word >= _ONE * self.share // 100:
            return super().answer(request)
        lost = request.method != "GET" and digest[8] % 2
        return type(self).error(Reply(204, media_type=None) if lost else super().answer(request), word)
