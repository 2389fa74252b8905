"""Odd ways to send the same answer: bytes, media types, headers, connections.

> Response body field names: not shown.

Nothing here changes what is said. Encodings of JSON differ as RFC 8259 lets them, HTTP as RFC 9112 does.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.fleets import COUNTING, FRIDGE, MACHINE, ROBOT_NAMED, ROBOT_TWOFOLD, TIMED_OVEN
from conformance.mutants.model import add_variant, variant
from conformance.reference.service import Service
from conformance.reference.wire import JSON_MEDIA, Incoming, Reply

if TYPE_CHECKING:
    from conformance.reference.wire import Json

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_VERSIONS = {
    "API-Version": "v1.2",
    "Content-Location": "/api/v1/homeappliances",
    "Link": '</api/v2/homeappliances>; rel="successor-version"',
    "Deprecation": "true",
}

odd = partial(add_variant, __name__)


def _reversed(document: Json) -> Json:
    """The document with the members of every object in reverse order."""
    if not isinstance(document, Mapping):
        return document
    return {name: _reversed(document[name]) for name in reversed(tuple(document))}


class Labelled(Service):
    """Every JSON answer has another Content-Type, or none.

    Attributes:
        media_type: the type that is sent.
    """

    fleet = (FRIDGE,)
    media_type: ClassVar[str | None]

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        return replace(reply, media_type=self.media_type) if reply.media_type == JSON_MEDIA else reply


class Headed(Service):
    """Every JSON answer has more headers.

    Attributes:
        more: the headers that come on top.
    """

    more: ClassVar[Mapping[str, str]]

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        if reply.media_type != JSON_MEDIA:
            return reply
        return replace(reply, headers={**reply.headers, **self.more})


# fmt: off
odd(Labelled, "charset-parameter", "PROT-SHAPE", "The media type has a parameter, in quotes.",
    media_type='application/json;charset="UTF-8"')
odd(Labelled, "media-type-of-the-maker", "ADDR-UNVERSIONED",
    "The media type is the maker's own and carries a version, which is none of the path.",
    media_type="application/vnd.acme.sdk.v1+json")
odd(Labelled, "media-type-text-json", "PROT-SHAPE", "The media type is text/json.", media_type="text/json")
odd(Labelled, "media-type-capitals", "PROT-SHAPE", "The media type is Application/JSON.",
    media_type="Application/JSON")
odd(Labelled, "media-type-missing", "PROT-SHAPE", "Answers have no media type.", media_type=None)
odd(Headed, "version-in-headers", "ADDR-UNVERSIONED",
    "Headers name versions, and a location with one beside a granted answer.", fleet=(MACHINE,),
    more=_VERSIONS)
odd(Headed, "cookies-and-caches", "READ-REPEAT", "Answers set a cookie and may be kept for an hour.",
    fleet=(MACHINE,), more={"Set-Cookie": "hub=7; Path=/", "ETag": '"1"', "Cache-Control": "max-age=3600"})
odd(Headed, "connection-closed", "PROT-SHAPE", "Every answer ends its connection.",
    fleet=(FRIDGE,), more={"Connection": "close"})
odd(Headed, "chunked", "PROT-SHAPE", "Bodies come in chunks, without a length.",
    fleet=(FRIDGE,), more={"Transfer-Encoding": "chunked"})
# fmt: on


@variant("pretty-printed", clause="PROT-SHAPE")
class PrettyPrinted(Service):
    """Bodies are indented, with spaces around colons and lines that end in CR LF."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)

    def encode(self, document: Json) -> bytes:
        text = json.dumps(document, ensure_ascii=False, indent=2, separators=(" ,", " : "))
        return f"\n{text}\n".replace("\n", "\r\n").encode()


@variant("members-reversed", clause="PROT-SHAPE")
class MembersReversed(Service):
    """The members of every object stand in reverse order, the value after its constraints."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)

    def encode(self, document: Json) -> bytes:
        return super().encode(_reversed(document))


@variant("escaped-letters", clause="PROT-SHAPE")
class EscapedLetters(Service):
    r"""Everything outside ASCII is escaped, as in \u00b0C and K\u00fcche."""

    fleet = (FRIDGE, ROBOT_NAMED)

    def encode(self, document: Json) -> bytes:
        return json.dumps(document, ensure_ascii=True).encode()


@variant("escaped-needlessly", clause="ENUM-KEYFORM")
class EscapedNeedlessly(Service):
    r"""Letters that need no escape have one: Vendor is sent as \u0056endor, also inside values."""

    fleet = (MACHINE,)

    def encode(self, document: Json) -> bytes:
        return super().encode(document).replace(b"V", rb"\u0056").replace(b"O", rb"\u004f")


@variant("byte-order-mark", clause="READ-VALUE")
class ByteOrderMark(Service):
    """Bodies begin with a byte order mark, which a parser may ignore."""

    fleet = (FRIDGE,)

    def encode(self, document: Json) -> bytes:
        return _BYTE_ORDER_MARK + super().encode(document)


@variant("numbers-with-exponent", clause="TYPE-INTEGER")
class NumbersWithExponent(Service):
    """Whole numbers are written 5E+0, Integers and Doubles alike."""

    fleet = (COUNTING, TIMED_OVEN, FRIDGE)

    def encode(self, document: Json) -> bytes:
        return re.sub(rb'"value":(-?\d+)([,}])', rb'"value":\1E+0\2', super().encode(document))


@variant("compressed-if-accepted", clause="PROT-SHAPE")
class CompressedIfAccepted(Service):
    """Bodies are compressed for a client that says it takes gzip."""

    fleet = (FRIDGE,)

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        if reply.media_type != JSON_MEDIA or "gzip" not in request.headers.get("accept-encoding", ""):
            return reply
        packed = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
        return replace(reply, body=gzip.compress(reply.body), headers={**reply.headers, **packed})


@variant("slow", clause="READ-SETTING")
class Slow(Service):
    """Every answer takes a fiftieth of a second."""

    fleet = (MACHINE,)

    def answer(self, request: Incoming) -> Reply:
        return replace(super().answer(request), delay_s=0.02)


@variant("success-not-authoritative", clause="PROT-ERRORS")
class SuccessNotAuthoritative(Service):
    """Reads are granted with status 203."""

    fleet = (MACHINE,)

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        return replace(reply, status=203) if reply.status == 200 and reply.stream is None else reply
