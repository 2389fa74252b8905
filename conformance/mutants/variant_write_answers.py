"""Odd answers to a write that took effect: other success codes, and bodies that say something else, or nothing.

> Request and response payload shapes: not shown.

What a write did is read back; the answer to it proves nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import MACHINE
from conformance.mutants.variant_write_soil import CLOCKED, COLD
from conformance.reference.service import Service
from conformance.reference.wire import Reply, dump

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance


class Acknowledging(Service):
    """Every write that took effect has an answer of its own.

    Attributes:
        acknowledged: that answer.
    """

    acknowledged: ClassVar[Reply]

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:  # noqa: ARG002  all writes are answered alike
        """Give that answer."""
        return self.acknowledged


@variant("write-answered-ok", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredOk(Acknowledging):
    """A write is answered 200 without a body, a power write as well."""

    fleet = (MACHINE,)
    acknowledged = Reply(200, media_type=None)


@variant("write-answered-created", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredCreated(Acknowledging):
    """A write is answered 201, with the place of something that was created."""

    fleet = (CLOCKED,)
    acknowledged = Reply(201, media_type=None, headers={"Location": "/api/writes/17"})


@variant("write-answered-accepted", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredAccepted(Acknowledging):
    """A write is answered 202 and said to be pending, although it is done."""

    fleet = (CLOCKED,)
    acknowledged = Reply(202, dump({"state": "pending", "value": None}))


@variant("write-answered-reset-content", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredResetContent(Acknowledging):
    """A write is answered 205."""

    fleet = (CLOCKED,)
    acknowledged = Reply(205, media_type=None)


@variant("write-answered-multi-status", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredMultiStatus(Acknowledging):
    """A write is answered 207 with a list of answers, one of them a failure of something else."""

    fleet = (CLOCKED,)
    acknowledged = Reply(207, dump({"data": [{"status": 204}, {"status": 500, "of": "history"}]}))


@variant("write-answered-with-null", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredWithNull(Acknowledging):
    """A write is answered 200 with null."""

    fleet = (CLOCKED,)
    acknowledged = Reply(200, b"null")


@variant("write-answered-in-html", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredInHtml(Acknowledging):
    """A write is answered 200 with a page."""

    fleet = (CLOCKED,)
    acknowledged = Reply(200, b"<!DOCTYPE html><html><body>Saved.</body></html>", "text/html")


@variant("write-answered-with-half-a-body", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredWithHalfABody(Acknowledging):
    """A write is answered 200 with JSON that ends too early."""

    fleet = (CLOCKED,)
    acknowledged = Reply(200, b'{"data":{"value":')


@variant("write-answered-with-an-error", clause="SET-WRITABLE", knowledges=("full",))
class WriteAnsweredWithAnError(Acknowledging):
    """A write that took effect is answered 200 with an error in the body."""

    fleet = (COLD,)
    acknowledged = Reply(200, dump({"error": {"key": "SDK.Error.InvalidSettingState", "description": "Not now"}}))


@variant("write-answered-with-the-entry", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredWithTheEntry(Service):
    """A write is answered 200 with the whole entry as it is now."""

    fleet = (COLD,)

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        """Save the client a GET."""
        return self.read(appliance, "settings", key)


@variant("write-answered-with-the-old-entry", clause="SET-WRITABLE", knowledges=("full",))
class WriteAnsweredWithTheOldEntry(Service):
    """A write is answered 200 with the entry as it was before."""

    fleet = (COLD,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Word the answer first, then do what was asked."""
        before = self.read(appliance, segment, key)
        reply = super().write(appliance, segment, key, body)
        return before if reply.status == 204 else reply


@variant("write-answered-by-turns", clause="PROT-WRITE", knowledges=("full",))
class WriteAnsweredByTurns(Service):
    """Writes are answered 200, 202 and 204 by turns."""

    fleet = (COLD,)
    answered = 0

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:  # noqa: ARG002  all writes are counted alike
        """Take the next code."""
        self.answered += 1
        return Reply((200, 202, 204)[self.answered % 3], media_type=None)
