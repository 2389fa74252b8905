"""Writes that meet something else than an answer: too many, moved, cut off, asked to sign in.

> Rate limits and request size limits: not shown.

Reading goes on as ever. What such a write did is known by reading alone, and that it did nothing breaks no rule.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import MACHINE
from conformance.mutants.variant_write_soil import CLOCKED, COLD
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_TOKEN, Incoming, Refusal, Reply, dump

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance

_LONG_AGO = "Wed, 21 Oct 2015 07:28:00 GMT"


class StumblingWrites(Service):
    """The first PUT of every path is met with something else than an answer; from then on all is well.

    Attributes:
        stumble: what the first PUT is met with.
    """

    stumble: ClassVar[Reply]

    @cached_property
    def written(self) -> set[str]:
        """The paths that have been written to."""
        return set()

    def answer(self, request: Incoming) -> Reply:
        """Stumble once over each path."""
        if request.method == "PUT" and request.path not in self.written:
            self.written.add(request.path)
            return self.stumble
        return super().answer(request)


class AnsweringWrites(Service):
    """Every write that took effect ends in something else than an answer.

    Attributes:
        ending: what it ends in.
    """

    ending: ClassVar[Reply]

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Do it, and do not say so."""
        reply = super().write(appliance, segment, key, body)
        return self.ending if reply.status == 204 else reply


class BarringWrites(Service):
    """Every PUT is turned away before anybody looks at it.

    Attributes:
        barrier: why.
    """

    barrier: ClassVar[Refusal]

    def answer(self, request: Incoming) -> Reply:
        """Turn it away."""
        return self.refuse(self.barrier) if request.method == "PUT" else super().answer(request)


@variant("writes-throttled-once", clause="PROT-RATE", knowledges=("full",))
class WritesThrottledOnce(StumblingWrites):
    """The first write of every path is one too many: 429, at once allowed again."""

    fleet = (CLOCKED,)
    stumble = Reply(429, dump({"error": {"key": "429", "description": "Too many requests"}}), headers={"Retry-After": "0"})


@variant("writes-unavailable-once", clause="PROT-RATE", knowledges=("full",))
class WritesUnavailableOnce(StumblingWrites):
    """The first write of every path is answered 503 until a moment that has passed, given as a date."""

    fleet = (MACHINE,)
    stumble = Reply(503, headers={"Retry-After": _LONG_AGO})


@variant("writes-fail-once", clause="SET-WRITABLE", knowledges=("full",))
class WritesFailOnce(StumblingWrites):
    """The first write of every path ends in an exception: 500; the second is taken."""

    fleet = (CLOCKED,)
    stumble = Reply(500, b"Internal Server Error", "text/plain")


@variant("writes-dropped-once", clause="SET-WRITABLE", knowledges=("full",))
class WritesDroppedOnce(StumblingWrites):
    """The first write of every path loses its connection and does nothing."""

    fleet = (CLOCKED,)
    stumble = Reply(200, drop=True)


@variant("writes-hang-up", clause="SET-WRITABLE", knowledges=("full",))
class WritesHangUp(AnsweringWrites):
    """Every write takes effect and loses its connection."""

    fleet = (COLD,)
    ending = Reply(200, drop=True)


@variant("writes-time-out", clause="SET-WRITABLE", knowledges=("full",))
class WritesTimeOut(AnsweringWrites):
    """Every write takes effect and is answered 408."""

    fleet = (CLOCKED,)
    ending = Reply(408, media_type=None)


@variant("writes-see-other", clause="PROT-WRITE", knowledges=("full",))
class WritesSeeOther(AnsweringWrites):
    """Every write takes effect and is answered 303, with the place where the appliance is."""

    fleet = (CLOCKED,)
    ending = Reply(303, media_type=None, headers={"Location": f"/api/homeappliances/{CLOCKED.ha_id}"})


@variant("writes-moved", clause="PROT-WRITE", knowledges=("full",))
class WritesMoved(Service):
    """A write is sent on to its path with a slash behind it, and taken there."""

    fleet = (CLOCKED,)

    def answer(self, request: Incoming) -> Reply:
        """Ask for the slash."""
        if request.method != "PUT":
            return super().answer(request)
        if request.path.endswith("/"):
            return super().answer(replace(request, path=request.path.removesuffix("/")))
        return Reply(307, media_type=None, headers={"Location": f"{request.prefix}{request.path}/"})


@variant("writes-need-a-token", clause="PROT-AUTH", knowledges=("full",))
class WritesNeedAToken(BarringWrites):
    """Anybody may read, and nobody may write without a token: 401."""

    fleet = (COLD,)
    barrier = INVALID_TOKEN


@variant("writes-need-more-scope", clause="PROT-AUTH", knowledges=("full",))
class WritesNeedMoreScope(BarringWrites):
    """Whoever is let in may read only: every write is answered 403, a power write as well."""

    fleet = (MACHINE,)
    barrier = Refusal(403, "insufficient_scope", "This token is good for reading")
