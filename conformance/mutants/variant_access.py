"""Odd ways to receive a request: throttled, redirected, dropped, asked to sign in, at another address as well.

> Rate limits and request size limits: not shown.

None of them is an answer about an entry, so none of them says anything about one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import FRIDGE, MACHINE, ROBOT_TWOFOLD
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_TOKEN, Incoming, Reply, dump

if TYPE_CHECKING:
    from conformance.reference.clock import Clock
    from conformance.reference.wire import Refusal, Route

_LONG_AGO = "Wed, 21 Oct 2015 07:28:00 GMT"


class Stumbling(Service):
    """The first GET of every path is met with something else than an answer; from then on all is well.

    Attributes:
        stumble: what the first GET is met with.
    """

    stumble: ClassVar[Reply]

    def __init__(self, *, clock: Clock | None = None, token: str | None = None, latency_s: float = 0.0) -> None:
        """Have been asked nothing yet."""
        super().__init__(clock=clock, token=token, latency_s=latency_s)
        self.asked: set[str] = set()

    def answer(self, request: Incoming) -> Reply:
        """Stumble once over each path."""
        if request.method == "GET" and request.path not in self.asked:
            self.asked.add(request.path)
            return self.stumble
        return super().answer(request)


@variant("throttled-once", clause="PROT-RATE")
class ThrottledOnce(Stumbling):
    """The first GET of every path is one too many: 429, at once allowed again."""

    fleet = (MACHINE,)
    stumble = Reply(429, dump({"error": {"key": "429", "description": "Too many requests"}}), headers={"Retry-After": "0"})


@variant("unavailable-once", clause="PROT-RATE")
class UnavailableOnce(Stumbling):
    """The first GET of every path is answered 503 until a moment that has passed, given as a date."""

    fleet = (ROBOT_TWOFOLD,)
    stumble = Reply(503, headers={"Retry-After": _LONG_AGO})


@variant("bad-gateway-once", clause="READ-SETTING")
class BadGatewayOnce(Stumbling):
    """The first GET of every path ends at a gateway that says 502 in HTML."""

    fleet = (MACHINE,)
    stumble = Reply(502, b"<html><head><title>502 Bad Gateway</title></head></html>", "text/html")


@variant("dropped-once", clause="READ-STATUS")
class DroppedOnce(Stumbling):
    """The first GET of every path loses its connection."""

    fleet = (MACHINE,)
    stumble = Reply(200, drop=True)


@variant("sign-in-needed", clause="PROT-AUTH")
class SignInNeeded(Service):
    """Nobody is told anything without a token, and the profile has none."""

    fleet = (FRIDGE,)

    def admits(self, request: Incoming) -> Refusal | None:  # noqa: ARG002  nobody is let in
        """Let nobody in."""
        return INVALID_TOKEN


@variant("redirects-to-sign-in", clause="ADDR-UNVERSIONED")
class RedirectsToSignIn(Service):
    """Every path leads to a page to sign in at, which is no entry and has no version."""

    fleet = (FRIDGE,)

    def answer(self, request: Incoming) -> Reply:
        """Show the page, or the way to it."""
        if request.path == "/sign-in":
            return Reply(200, b"<html><form></form></html>", "text/html")
        return Reply(302, media_type=None, headers={"Location": f"{request.prefix}/sign-in"})


@variant("redirects-to-slash", clause="ADDR-UNVERSIONED")
class RedirectsToSlash(Service):
    """Every path leads to itself with a slash behind it, where the answer is."""

    fleet = (FRIDGE,)

    def answer(self, request: Incoming) -> Reply:
        """Ask for the slash."""
        if request.path.endswith("/"):
            return super().answer(replace(request, path=request.path.removesuffix("/")))
        return Reply(308, media_type=None, headers={"Location": f"{request.prefix}{request.path}/"})


@variant("versioned-alias", clause="ADDR-UNVERSIONED")
class VersionedAlias(Service):
    """Everything is found under /api/v1 and /api/v2 as well."""

    fleet = (FRIDGE, MACHINE)

    def route(self, request: Incoming) -> Route | None:
        """Overlook the version."""
        plain = request.path.replace("/api/v1/", "/api/", 1).replace("/api/v2/", "/api/", 1)
        return super().route(replace(request, path=plain))


@variant("v1", clause="ADDR-UNVERSIONED")
class VersionBeforeTheApi(Service):
    """It is mounted under its name, so the base address itself has what looks like a version, and the path after it has none."""

    fleet = (FRIDGE, MACHINE)


@variant("other-methods-unheard-of", clause="PROT-ERRORS")
class OtherMethodsUnheardOf(Service):
    """HEAD, OPTIONS and whatever is neither GET nor PUT get 501, a slash at the end gets 400, and a query is ignored."""

    fleet = (FRIDGE,)

    def answer(self, request: Incoming) -> Reply:
        """Take nothing but what is shown."""
        if request.method not in {"GET", "PUT"}:
            return Reply(501, b"<html>Not implemented</html>", "text/html", headers={"Connection": "close"})
        return Reply(400) if request.path.endswith("/") else super().answer(request)
