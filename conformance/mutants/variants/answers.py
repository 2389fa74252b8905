"""Odd answers: to a write that took effect, to a question about an entry that is not there, and refusals.

> Error codes, status codes and error bodies: not shown.

What a write did is read back; the answer to it proves nothing. An entry the appliance lacks and one that no
table knows are answered alike in all of them.
"""

import hashlib

from msgspec.structs import replace

from catalog.keys import LIQUID_UNIT
from catalog.model import Entry, Segment
from conformance.mutants import document
from conformance.mutants.fleets import (
    FRIDGE,
    FRIDGE_MODES,
    FRIDGE_SETPOINTS,
    FRIDGE_UNITLESS,
    MACHINE,
    OVEN_ALARM,
    ROBOT,
)
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import meets, supplies
from conformance.mutants.shapes.requests import amends
from conformance.mutants.shapes.states import Unsaid, refuses_with
from conformance.mutants.shapes.writes import acknowledges
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.service import Service
from conformance.reference.wire import (
    INVALID_STATE,
    UNKNOWN_APPLIANCE,
    UNKNOWN_PATH,
    UNSUPPORTED,
    Members,
    Refusal,
    Reply,
    dump,
)

_LACKING = (UNSUPPORTED["settings"], UNSUPPORTED["status"])
_IN_BAND = dump({"error": {"key": "UnsupportedEntry", "description": "Not on this appliance"}})
_MISTAKEN = Reply(200, dump({"errorCode": 403042, "errorMessage": "Invalid LoginID"}))
_SETPOINTS = ("SetpointTemperatureRefrigerator", "SetpointTemperatureFreezer")
_PAGE = b"<!DOCTYPE html><html><head><title>Not found</title></head><body><h1>Not found</h1></body></html>"


class WriteAnsweredWithTheOldEntry(Service):
    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        before = self.read(appliance, segment, key)
        reply = super().write(appliance, segment, key, body)
        return before if reply.status == 204 else reply


def _named(_: Service, appliance: Appliance, segment: Segment, key: str) -> Reply:
    error = {"key": "Unsupported", "description": f"{appliance.ha_id} has no {segment} {key}"}
    return Reply(409, dump({"error": error}))


class ErrorsTraced(Service):
    refused = 0

    def refuse(self, refusal: Refusal) -> Reply:
        self.refused += 1
        trace = hashlib.sha256(str(self.refused).encode()).hexdigest()[:32]
        error = {"key": refusal.key, "trace": trace, "timestamp": self.clock.timestamp()}
        return Reply(refusal.status, dump({"error": error}), headers={**refusal.headers, "X-Trace": trace})


class ListAsFound(Service):
    """A list shows each value as it was when the service began."""

    def item(self, appliance: Appliance, segment: Segment, entry: Entry) -> Members:
        found = self.spell_value(appliance, entry, appliance.spec.values[entry.key])
        return {**super().item(appliance, segment, entry), "value": found}


class ListWithoutSetpoints(Service):
    """A list leaves out every setpoint."""

    def list(self, appliance: Appliance, segment: Segment) -> Reply:
        served = [self.entries[key] for key in appliance.values if self.serves(appliance, segment, key)]
        shown = [entry for entry in served if not entry.key.endswith(_SETPOINTS)]
        return self.show({segment: [self.item(appliance, segment, entry) for entry in shown]})


# fmt: off
written(acknowledges(Reply(200, media_type=None)), "write-answered-ok", "PROT-WRITE",
    "A write is answered 200 without a body, a power write as well.", fleet=MACHINE, allowed=document.ERRORS)
written(acknowledges(Reply(201, media_type=None, headers={"Location": "/api/writes/17"})),
    "write-answered-created", "PROT-WRITE",
    "A write is answered 201, with the place of something that was created.", fleet=OVEN_ALARM,
    allowed=document.ERRORS)
written(acknowledges(Reply(202, dump({"state": "pending", "value": None}))), "write-answered-accepted",
    "PROT-WRITE", "A write is answered 202 and said to be pending, although it is done.", fleet=OVEN_ALARM,
    allowed=document.ERRORS)
written(acknowledges(Reply(205, media_type=None)), "write-answered-reset-content", "PROT-WRITE",
    "A write is answered 205.", fleet=OVEN_ALARM, allowed=document.ERRORS)
written(acknowledges(Reply(207, dump({"data": [{"status": 204}, {"status": 500, "of": "history"}]}))),
    "write-answered-multi-status", "PROT-WRITE",
    "A write is answered 207 with a list of answers, one of them a failure of something else.",
    fleet=OVEN_ALARM, allowed=document.ERRORS)
written(acknowledges(Reply(200, b"null")), "write-answered-with-null",
    "PROT-WRITE", "A write is answered 200 with null.", fleet=OVEN_ALARM, allowed=document.PAYLOADS)
written(acknowledges(Reply(200, b"<!DOCTYPE html><html><body>Saved.</body></html>", "text/html")),
    "write-answered-in-html", "PROT-WRITE", "A write is answered 200 with a page.", fleet=OVEN_ALARM,
    allowed=document.PAYLOADS)
written(acknowledges(Reply(200, b'{"data":{"value":')), "write-answered-with-half-a-body", "PROT-WRITE",
    "A write is answered 200 with JSON that ends too early.", fleet=OVEN_ALARM, allowed=document.TRANSPORT)
written(acknowledges(Reply(200, dump({"error": {"key": INVALID_STATE.key, "description": "Not now"}}))),
    "write-answered-with-an-error", "SET-WRITABLE",
    "A write that took effect is answered 200 with an error in the body.", fleet=FRIDGE_SETPOINTS,
    allowed=document.PAYLOADS)
odd(refuses_with(Reply(404, _PAGE, "text/html"), *_LACKING), "lacking-not-found",
    "READ-SETTING", "An entry that is not there is not found: 404 in HTML.", fleet=FRIDGE_UNITLESS,
    allowed=document.ERRORS)
odd(refuses_with(Reply(400, dump({"error": {"key": "400", "description": "Bad request"}})), *_LACKING),
    "lacking-bad-request", "READ-SETTING",
    "An entry that is not there is a mistake of whoever asks: 400.", fleet=FRIDGE_UNITLESS,
    allowed=document.ERRORS)
odd(refuses_with(Reply(403, dump({"error": {"key": "insufficient_scope"}})), *_LACKING), "lacking-forbidden",
    "READ-SETTING", "An entry that is not there is forbidden: 403.", fleet=FRIDGE_UNITLESS,
    allowed=document.ERRORS)
odd(refuses_with(Reply(403, dump({"error": "forbidden"})), UNKNOWN_APPLIANCE), "nobody-forbidden",
    "ADDR-HAID", "A haId that names no appliance is forbidden: 403; entries that are not there are refused.",
    fleet=FRIDGE_UNITLESS, allowed=document.ERRORS)
odd(refuses_with(Reply(405, headers={"Allow": "OPTIONS"}), *_LACKING), "lacking-wrong-method",
    "READ-STATUS", "An entry that is not there cannot be asked for with GET: 405.", fleet=ROBOT,
    allowed=document.ERRORS)
odd(refuses_with(Reply(410, dump({"title": "Gone", "status": 410}), "application/problem+json"), *_LACKING),
    "lacking-gone", "READ-STATUS", "An entry that is not there is gone: 410.", fleet=ROBOT,
    allowed=document.ERRORS)
odd(refuses_with(Reply(501, dump({"message": "not implemented"})), *_LACKING), "lacking-not-implemented",
    "READ-SETTING", "An entry that is not there is not implemented: 501.", fleet=MACHINE,
    allowed=document.ERRORS)
odd(refuses_with(Reply(500, b"Internal Server Error", "text/plain"), *_LACKING), "lacking-server-error",
    "READ-SETTING", "Looking for an entry that is not there ends in an exception: 500.", fleet=MACHINE,
    allowed=document.ERRORS)
odd(refuses_with(Reply(200, drop=True), *_LACKING), "lacking-hangs-up",
    "READ-STATUS", "Looking for an entry that is not there ends the connection.", fleet=MACHINE,
    allowed=document.TRANSPORT)
odd(refuses_with(Reply(200, _IN_BAND), *_LACKING), "lacking-says-so-in-success", "READ-VALUE",
    "An entry that is not there is answered 200, with the error in the body.",
    fleet=(FRIDGE_UNITLESS, ROBOT), allowed=document.ERRORS)
odd((meets(lambda its, key: key == LIQUID_UNIT and its.nth("odd") == 1, _MISTAKEN),
        refuses_with(Reply(200, _IN_BAND), *_LACKING), Unsaid), "lacking-odd-once", "READ-VALUE",
    "What is not there is answered 200 with an error in the body, one entry once with another.",
    fleet=FRIDGE_UNITLESS, fields=("lacks",), knowledges=("L2",), allowed=document.ERRORS)
odd(refuses_with(Reply(204, media_type=None), *_LACKING), "lacking-no-content",
    "READ-VALUE", "An entry that is not there has no content: 204.", fleet=(FRIDGE_UNITLESS, ROBOT),
    allowed=document.ERRORS)
odd(refuses_with(Reply(200, b"{}"), *_LACKING), "lacking-empty-object",
    "READ-VALUE", "An entry that is not there is an object without members.", fleet=(MACHINE, ROBOT),
    allowed=document.ERRORS)
odd(refuses_with(Reply(404, _PAGE, "text/html"), *_LACKING, UNKNOWN_PATH, UNKNOWN_APPLIANCE),
    "errors-in-html", "PROT-ERRORS",
    "Refusals are pages, all alike and all 404, for entries, appliances and paths.", fleet=FRIDGE_UNITLESS,
    allowed=document.ERRORS)
odd(Service, "nothing-served", "ADDR-BASE",
    "The appliance has no setting and no status at all, and claims none.",
    fleet=replace(MACHINE, values={}, power_states=()), allowed=document.SUPPORT,
    lacks=tuple(DISHWASHER.values))
written(acknowledges(lambda its, one, key: its.read(one, "settings", key)),
    "write-answered-with-the-entry", "PROT-WRITE",
    "A write is answered 200 with the whole entry as it is now.", fleet=FRIDGE_SETPOINTS,
    allowed=document.PAYLOADS)
written(WriteAnsweredWithTheOldEntry, "write-answered-with-the-old-entry", "SET-WRITABLE",
    "A write is answered 200 with the entry as it was before.", fleet=FRIDGE_SETPOINTS,
    allowed=document.PAYLOADS)
written(acknowledges(lambda _its, one, _key: Reply((200, 202, 204)[one.nth("write") % 3], media_type=None)),
    "write-answered-by-turns", "PROT-WRITE",
    "Writes are answered 200, 202 and 204 by turns.", fleet=FRIDGE_SETPOINTS, allowed=document.ERRORS)
odd(supplies(lambda its, one, _, key: its.show({"key": its.spell(one, key), "value": None})), "lacking-null",
    "TYPE-NOTNULL",
    "An entry that is not there is answered with its key and null, whatever was asked for.",
    fleet=(FRIDGE_UNITLESS, MACHINE, ROBOT), allowed=document.ERRORS)
odd(supplies(_named), "lacking-named", "PROT-ERRORS",
    "An entry that is not there is named in the error, together with the appliance.", fleet=FRIDGE_UNITLESS,
    allowed=document.ERRORS)
written(ListAsFound, "list-as-found", "PROT-LIST", "Lists show each value as it was when the service began.",
    fleet=FRIDGE_MODES, allowed=document.WRITES_AND_LISTS)
odd(ListWithoutSetpoints, "list-without-setpoints", "PROT-LIST",
    "The list of settings leaves out the setpoints.", fleet=FRIDGE_MODES, allowed=document.WRITES_AND_LISTS)
odd(amends(lambda reply, _: replace(reply, body=b"", media_type=None) if reply.status >= 400 else reply),
    "errors-empty", "PROT-ERRORS", "Refusals have no body.", fleet=FRIDGE_UNITLESS, allowed=document.ERRORS)
odd(ErrorsTraced, "errors-traced", "PROT-ERRORS",
    "Every refusal carries the moment and a random number of its own, so no two are alike.", fleet=FRIDGE,
    allowed=document.ERRORS)
