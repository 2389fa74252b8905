"""Odd ways to say that an entry is not there: codes, bodies, and success with nothing in it.

> Error codes, status codes and error bodies: not shown.

An entry the appliance lacks and one that no table knows are answered alike in all of them.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import FRIDGE, FRIDGE_UNITLESS, MACHINE, ROBOT
from conformance.reference.service import Service
from conformance.reference.wire import UNKNOWN_APPLIANCE, UNKNOWN_PATH, UNSUPPORTED, Refusal, Reply, dump

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.clock import Clock

_LACKING = (UNSUPPORTED["settings"], UNSUPPORTED["status"])
_PAGE = b"<!DOCTYPE html><html><head><title>Not found</title></head><body><h1>Not found</h1></body></html>"


class Lacking(Service):
    """Entries that are not there have an answer of their own, under both segments.

    Attributes:
        lacking: that answer.
    """

    lacking: ClassVar[Reply]

    def refuse(self, refusal: Refusal) -> Reply:
        """Give that answer; every other refusal stays as it is."""
        return self.lacking if refusal in _LACKING else super().refuse(refusal)


@variant("lacking-not-found", clause="READ-SETTING")
class LackingNotFound(Lacking):
    """An entry that is not there is not found: 404 in HTML."""

    fleet = (FRIDGE_UNITLESS,)
    lacking = Reply(404, _PAGE, "text/html")


@variant("lacking-bad-request", clause="READ-SETTING")
class LackingBadRequest(Lacking):
    """An entry that is not there is a mistake of whoever asks: 400."""

    fleet = (FRIDGE_UNITLESS,)
    lacking = Reply(400, dump({"error": {"key": "400", "description": "Bad request"}}))


@variant("lacking-forbidden", clause="READ-SETTING")
class LackingForbidden(Lacking):
    """An entry that is not there is forbidden: 403."""

    fleet = (FRIDGE_UNITLESS,)
    lacking = Reply(403, dump({"error": {"key": "insufficient_scope"}}))


@variant("lacking-wrong-method", clause="READ-STATUS")
class LackingWrongMethod(Lacking):
    """An entry that is not there cannot be asked for with GET: 405."""

    fleet = (ROBOT,)
    lacking = Reply(405, headers={"Allow": "OPTIONS"})


@variant("lacking-gone", clause="READ-STATUS")
class LackingGone(Lacking):
    """An entry that is not there is gone: 410."""

    fleet = (ROBOT,)
    lacking = Reply(410, dump({"title": "Gone", "status": 410}), "application/problem+json")


@variant("lacking-not-implemented", clause="READ-SETTING")
class LackingNotImplemented(Lacking):
    """An entry that is not there is not implemented: 501."""

    fleet = (MACHINE,)
    lacking = Reply(501, dump({"message": "not implemented"}))


@variant("lacking-server-error", clause="READ-SETTING")
class LackingServerError(Lacking):
    """Looking for an entry that is not there ends in an exception: 500."""

    fleet = (MACHINE,)
    lacking = Reply(500, b"Internal Server Error", "text/plain")


@variant("lacking-hangs-up", clause="READ-STATUS")
class LackingHangsUp(Lacking):
    """Looking for an entry that is not there ends the connection."""

    fleet = (MACHINE,)
    lacking = Reply(200, drop=True)


@variant("lacking-says-so-in-success", clause="READ-VALUE")
class LackingSaysSoInSuccess(Lacking):
    """An entry that is not there is answered 200, with the error in the body."""

    fleet = (FRIDGE_UNITLESS,)
    lacking = Reply(200, dump({"error": {"key": "UnsupportedEntry", "description": "Not on this appliance"}}))


@variant("lacking-no-content", clause="READ-VALUE")
class LackingNoContent(Lacking):
    """An entry that is not there has no content: 204."""

    fleet = (FRIDGE_UNITLESS, ROBOT)
    lacking = Reply(204, media_type=None)


@variant("lacking-empty-object", clause="READ-VALUE")
class LackingEmptyObject(Lacking):
    """An entry that is not there is an object without members."""

    fleet = (MACHINE,)
    lacking = Reply(200, b"{}")


@variant("lacking-null", clause="TYPE-NOTNULL")
class LackingNull(Service):
    """An entry that is not there is answered with its key and null, whatever was asked for."""

    fleet = (FRIDGE_UNITLESS, MACHINE)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Have an answer to everything."""
        if self.serves(appliance, segment, key):
            return super().read(appliance, segment, key)
        return self.show({"key": self.spell(appliance, key), "value": None})


@variant("lacking-named", clause="PROT-ERRORS")
class LackingNamed(Service):
    """An entry that is not there is named in the error, together with the appliance."""

    fleet = (FRIDGE_UNITLESS,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Repeat what was asked for."""
        if self.serves(appliance, segment, key):
            return super().read(appliance, segment, key)
        return Reply(409, dump({"error": {"key": "Unsupported", "description": f"{appliance.ha_id} has no {segment} {key}"}}))


@variant("errors-empty", clause="PROT-ERRORS")
class ErrorsEmpty(Service):
    """Refusals have no body."""

    fleet = (FRIDGE_UNITLESS,)

    def refuse(self, refusal: Refusal) -> Reply:
        """Say nothing but the code."""
        return Reply(refusal.status, media_type=None, headers=refusal.headers)


@variant("errors-in-html", clause="PROT-ERRORS")
class ErrorsInHtml(Service):
    """Refusals are pages, all alike and all 404, for entries, appliances and paths."""

    fleet = (FRIDGE_UNITLESS,)

    def refuse(self, refusal: Refusal) -> Reply:
        """Show the one page there is, unless a write is refused."""
        nowhere = refusal in (*_LACKING, UNKNOWN_PATH, UNKNOWN_APPLIANCE)
        return Reply(404, _PAGE, "text/html") if nowhere else super().refuse(refusal)


@variant("errors-traced", clause="PROT-ERRORS")
class ErrorsTraced(Service):
    """Every refusal carries the moment and a random number of its own, so no two are alike."""

    fleet = (FRIDGE,)

    def __init__(self, *, clock: Clock | None = None, token: str | None = None, latency_s: float = 0.0) -> None:
        """Have refused nothing yet."""
        super().__init__(clock=clock, token=token, latency_s=latency_s)
        self.refused = 0

    def refuse(self, refusal: Refusal) -> Reply:
        """Number the refusal in a way that looks random."""
        self.refused += 1
        trace = hashlib.sha256(str(self.refused).encode()).hexdigest()[:32]
        error = {"key": refusal.key, "trace": trace, "timestamp": self.clock.timestamp()}
        return Reply(refusal.status, dump({"error": error}), headers={**refusal.headers, "X-Trace": trace})


@variant("nothing-served", clause="ADDR-BASE")
class NothingServed(Service):
    """The appliance has no setting and no status at all, and claims none."""

    fleet = (replace(MACHINE, values={}, power_states=()),)
