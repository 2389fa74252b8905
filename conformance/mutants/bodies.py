"""Servers that answer 200 with a body that holds no value, or is no JSON.

> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Misanswered
from conformance.mutants.soil import ALARM_CLOCK, CHILD_LOCK, DOOR_STATE, MACHINE, MAP_NAME_1, REMOTE_CONTROL, ROBOT_NAMED, TIMED_OVEN
from conformance.reference.service import Service
from conformance.reference.wire import Reply

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_SETTING = {"READ-SETTING": "A setting is answered with a success and without a value."}
_STATUS = {"READ-STATUS": "A status is answered with a success and without a value."}
_CLAIMED_STATUS = _STATUS | {"ADDR-SEG-STATUS": "A claimed status has no value under the segment status."}


@mutant("body-cut-in-half", clause="READ-VALUE", level="L0", partners=_SETTING)
class BodyCutInHalf(Service):
    """The body of ChildLock ends in its middle, where its Content-Length says it does."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Send half of one body."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=reply.body[: len(reply.body) // 2]) if key == CHILD_LOCK else reply


@mutant("value-twice", clause="READ-VALUE", level="L0", partners=_SETTING)
class ValueTwice(Service):
    """The body of ChildLock has the member value twice, true and false."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Put a second value before the first."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=reply.body.replace(b'"value":', b'"value":true,"value":')) if key == CHILD_LOCK else reply


@mutant("body-in-latin-1", clause="READ-VALUE", level="L0", partners=_SETTING)
class BodyInLatin1(Service):
    """The name of a map is sent in Latin-1, which is not UTF-8."""

    fleet = (ROBOT_NAMED,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Encode one body otherwise."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=reply.body.decode().encode("latin-1")) if key == MAP_NAME_1 else reply


@mutant("line-break-in-text", clause="READ-VALUE", level="L0", partners=_SETTING)
class LineBreakInText(Service):
    """The name of a map has a line break that is not escaped."""

    fleet = (ROBOT_NAMED,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Break the line of one text."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=reply.body.replace("Küche".encode(), b"Kitchen\nwest")) if key == MAP_NAME_1 else reply


@mutant("remark-after-the-body", clause="READ-VALUE", level="L0", partners=_STATUS)
class RemarkAfterTheBody(Service):
    """The body of DoorState is followed by a remark of the web server."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Add to one body."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=reply.body + b"\n<!-- served in 12 ms -->") if key == DOOR_STATE else reply


@mutant("single-quotes", clause="READ-VALUE", level="L0", partners=_STATUS)
class SingleQuotes(Service):
    """The body of RemoteControlActive is the dump of a data structure, with single quotes."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Quote one body otherwise."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=reply.body.replace(b'"', b"'")) if key == REMOTE_CONTROL else reply


@mutant("trailing-comma", clause="READ-VALUE", level="L0", partners=_SETTING)
class TrailingComma(Service):
    """The last member of the body of AlarmClock is followed by a comma."""

    fleet = (TIMED_OVEN,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Put a comma where nothing follows."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=reply.body.removesuffix(b"}") + b",}") if key == ALARM_CLOCK else reply


@mutant("compressed-unsaid", clause="READ-VALUE", level="L0", partners=_STATUS)
class CompressedUnsaid(Service):
    """The body of DoorState is compressed, and no header says so."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Compress one body."""
        reply = super().read(appliance, segment, key)
        return replace(reply, body=gzip.compress(reply.body)) if key == DOOR_STATE else reply


@mutant("page-for-an-entry", clause="READ-VALUE", level="L0", partners=_SETTING)
class PageForAnEntry(Misanswered):
    """ChildLock is answered 200 with a page of HTML that is called JSON."""

    fleet = (MACHINE,)
    key, reply = CHILD_LOCK, Reply(200, b"<html><body>Please wait</body></html>")


@mutant("false-left-out", clause="READ-VALUE", level="L2", partners=_SETTING)
class FalseLeftOut(Service):
    """A value that is false is left out of the body, as a default."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Leave out what is false."""
        members = super().body(appliance, segment, entry, value)
        return {name: member for name, member in members.items() if member is not False}


@mutant("entry-one-level-deeper", clause="READ-VALUE", level="L2", partners=_SETTING)
class EntryOneLevelDeeper(Service):
    """The members of ChildLock lie one level deeper than those of every other entry."""

    fleet = (MACHINE,)

    def wrap(self, members: Members) -> Json:
        """Wrap one entry twice."""
        return super().wrap({"setting": members} if members["key"] == CHILD_LOCK else members)


@mutant("value-called-state", clause="READ-VALUE", level="L2", partners=_CLAIMED_STATUS)
class ValueCalledState(Service):
    """The value of DoorState is in a member called state."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Call one value otherwise."""
        members = super().body(appliance, segment, entry, value)
        return {"state" if name == "value" else name: member for name, member in members.items()} if entry.key == DOOR_STATE else members
