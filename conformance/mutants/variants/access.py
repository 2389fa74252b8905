"""Odd ways to receive a request: throttled, redirected, dropped, asked to sign in, met by an error at random.

> Rate limits and request size limits: not shown.

None of them is an answer about an entry, so none of them says anything about one. What a write did that was
met like that is known by reading alone, and that it did nothing breaks no rule.
"""

import re
from functools import cached_property

from catalog import keys
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.requests import (
    ErringAtRandom,
    bars_writes,
    half_a_body,
    intercepts,
    moved_to,
    no_answer,
    paths,
)
from conformance.mutants.shapes.writes import acknowledges
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_TOKEN, Incoming, Refusal, Reply, dump

_TOO_MANY = Reply(
    429, dump({"error": {"key": "429", "description": "Too many requests"}}), headers={"Retry-After": "0"}
)
_UNAVAILABLE = Reply(503, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"})
_BAD_GATEWAY = Reply(502, b"<html><head><title>502 Bad Gateway</title></head></html>", "text/html")
_ELSEWHERE = Reply(
    303, media_type=None, headers={"Location": f"/api/homeappliances/{fleets.OVEN_ALARM.ha_id}"}
)


def _stumbles(stumble: Reply, method: str = "GET") -> type[Service]:
    """The first request of a method to every path is met with something else than an answer."""

    class Stumbles(Service):
        @cached_property
        def asked(self) -> set[str]:
            return set()

        def answer(self, request: Incoming) -> Reply:
            if request.method == method and request.path not in self.asked:
                self.asked.add(request.path)
                return stumble
            return super().answer(request)

    return Stumbles


def _adds_slashes(status: int, *methods: str) -> tuple[type[Service], ...]:
    """Requests of some methods, or of all, are sent on to their path with a slash behind it."""

    def moved(asked: Incoming) -> Reply | None:
        is_there = asked.path.endswith("/") or (methods and asked.method not in methods)
        return None if is_there else moved_to(asked, f"{asked.path}/", status)

    return intercepts(moved), paths(lambda path: path.removesuffix("/"))


def _mute(_: Service, appliance: Appliance, key: str) -> Reply | None:
    is_mute = (appliance.ha_id, key) == (fleets.MACHINE.ha_id, keys.CHILD_LOCK)
    return Reply(0, drop=True) if is_mute else None


def _to_sign_in(request: Incoming) -> Reply:
    if request.path == "/sign-in":
        return Reply(200, b"<html><form></form></html>", "text/html")
    return moved_to(request, "/sign-in", 302)


def _unheard_of(request: Incoming) -> Reply | None:
    if request.method not in {"GET", "PUT"}:
        return Reply(501, b"<html>Not implemented</html>", "text/html", headers={"Connection": "close"})
    return Reply(400) if request.path.endswith("/") else None


# fmt: off
odd(_stumbles(_TOO_MANY), "throttled-once", "PROT-RATE",
    "The first GET of every path is one too many: 429, at once allowed again.", fleet=fleets.MACHINE,
    allowed=document.RATE)
odd(_stumbles(_UNAVAILABLE), "unavailable-once", "PROT-RATE",
    "The first GET of every path is answered 503 until a moment that has passed, given as a date.",
    fleet=fleets.ROBOT_TWOFOLD, allowed=document.RATE)
odd(_stumbles(_BAD_GATEWAY), "bad-gateway-once", "READ-SETTING",
    "The first GET of every path ends at a gateway that says 502 in HTML.", fleet=fleets.MACHINE,
    allowed=document.ERRORS)
odd(_stumbles(Reply(200, drop=True)), "dropped-once", "READ-STATUS",
    "The first GET of every path loses its connection.", fleet=fleets.MACHINE, allowed=document.TRANSPORT)
written(_stumbles(_TOO_MANY, "PUT"), "writes-throttled-once", "PROT-RATE",
    "The first write of every path is one too many: 429, at once allowed again.", fleet=fleets.OVEN_ALARM,
    allowed=document.RATE)
written(_stumbles(_UNAVAILABLE, "PUT"), "writes-unavailable-once", "PROT-RATE",
    "The first write of every path is answered 503 until a moment that has passed, given as a date.",
    fleet=fleets.MACHINE, allowed=document.RATE)
written(_stumbles(Reply(500, b"Internal Server Error", "text/plain"), "PUT"), "writes-fail-once",
    "SET-WRITABLE",
    "The first write of every path ends in an exception: 500; the second is taken.", fleet=fleets.OVEN_ALARM,
    allowed=document.ERRORS)
written(_stumbles(Reply(200, drop=True), "PUT"), "writes-dropped-once", "SET-WRITABLE",
    "The first write of every path loses its connection and does nothing.", fleet=fleets.OVEN_ALARM,
    allowed=document.TRANSPORT)
written(acknowledges(Reply(200, drop=True)), "writes-hang-up", "SET-WRITABLE",
    "Every write takes effect and loses its connection.", fleet=fleets.FRIDGE_SETPOINTS,
    allowed=document.TRANSPORT)
written(acknowledges(Reply(408, media_type=None)), "writes-time-out", "SET-WRITABLE",
    "Every write takes effect and is answered 408.", fleet=fleets.OVEN_ALARM, allowed=document.ERRORS)
written(acknowledges(_ELSEWHERE), "writes-see-other", "PROT-WRITE",
    "Every write takes effect and is answered 303, with the place where the appliance is.",
    fleet=fleets.OVEN_ALARM, allowed=document.ERRORS)
written(bars_writes(INVALID_TOKEN), "writes-need-a-token", "PROT-AUTH",
    "Anybody may read, and nobody may write without a token: 401.", fleet=fleets.FRIDGE_SETPOINTS,
    allowed=document.AUTHENTICATION)
written(bars_writes(Refusal(403, "insufficient_scope", "This token is good for reading")),
    "writes-need-more-scope", "PROT-AUTH",
    "Whoever is let in may read only: every write is answered 403, a power write as well.",
    fleet=fleets.MACHINE, allowed=document.AUTHENTICATION)
odd(_adds_slashes(308), "redirects-to-slash", "ADDR-UNVERSIONED",
    "Every path leads to itself with a slash behind it, where the answer is.", fleet=fleets.FRIDGE,
    allowed=document.TRANSPORT)
written(_adds_slashes(307, "PUT"), "writes-moved", "PROT-WRITE",
    "A write is sent on to its path with a slash behind it, and taken there.", fleet=fleets.OVEN_ALARM,
    allowed=document.TRANSPORT)
odd(ErringAtRandom, "errs-in-5-of-100", "READ-SETTING", "Of a hundred answers, 5 are 500 or 502.",
    fleet=(fleets.MACHINE, fleets.ROBOT_TWOFOLD), share=5, allowed=document.ERRORS)
odd(ErringAtRandom, "errs-in-30-of-100", "READ-NOPAYLOAD", "Of a hundred answers, 30 are 500 or 502.",
    fleet=(fleets.MACHINE, fleets.ROBOT_TWOFOLD), share=30, allowed=document.ERRORS)
odd(ErringAtRandom, "errs-in-60-of-100", "READ-STATUS", "Of a hundred answers, 60 are 500 or 502.",
    fleet=(fleets.MACHINE, fleets.ROBOT_TWOFOLD), share=60, allowed=document.ERRORS)
odd(ErringAtRandom, "cuts-30-of-100-bodies", "READ-VALUE",
    "Of a hundred answers, 30 end before their Content-Length.", fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD),
    share=30, error=staticmethod(half_a_body), allowed=document.TRANSPORT)
odd(ErringAtRandom, "drops-30-of-100-connections", "READ-REPEAT",
    "Of a hundred requests, 30 end with the connection closed and no answer.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD), share=30, error=staticmethod(no_answer),
    allowed=document.TRANSPORT)
odd(ErringAtRandom, "misdirects-30-of-100", "READ-REPEAT",
    "Of a hundred requests, 30 reach a server that does not speak for the address: 421, on any connection.",
    fleet=(fleets.MACHINE, fleets.ROBOT_TWOFOLD), share=30, error=staticmethod(lambda *_: Reply(421)),
    allowed=document.TRANSPORT)
odd(Service, "v1", "ADDR-UNVERSIONED",
    "It is mounted under its name, so the base address itself has what looks like a version, and the path "
    "after it has none.", fleet=(fleets.FRIDGE, fleets.MACHINE), allowed=document.BASE_ADDRESS)
odd(intercepts(lambda _: INVALID_TOKEN), "sign-in-needed", "PROT-AUTH",
    "Nobody is told anything without a token, and the profile has none.", fleet=fleets.FRIDGE,
    allowed=document.AUTHENTICATION)
odd(intercepts(_to_sign_in), "redirects-to-sign-in", "ADDR-UNVERSIONED",
    "Every path leads to a page to sign in at, which is no entry and has no version.", fleet=fleets.FRIDGE,
    allowed=document.AUTHENTICATION)
odd(paths(lambda path: re.sub("^/api/v[12]/", "/api/", path)), "versioned-alias", "ADDR-UNVERSIONED",
    "Everything is found under /api/v1 and /api/v2 as well.", fleet=(fleets.FRIDGE, fleets.MACHINE),
    allowed=document.VERSIONS)
odd(intercepts(_unheard_of), "other-methods-unheard-of", "PROT-ERRORS",
    "HEAD, OPTIONS and any method but GET and PUT get 501, a slash at the end 400; a query is ignored.",
    fleet=fleets.FRIDGE, allowed=document.KEY_OF_THE_TABLE)
written(acknowledges(_mute), "child-lock-unanswered", "SET-WRITABLE",
    "A write of the machine's ChildLock takes effect and loses its connection.",
    fleet=(fleets.MACHINE, fleets.TIMED_OVEN), allowed=document.TRANSPORT)
