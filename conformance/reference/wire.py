"""What goes in and out of a service: requests, replies, refusals.

The document shows no body and no error (lines 150 and 163). The wire format here is one choice;
a profile declares it, so nothing of it is a rule.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, cast

from msgspec import Struct

from catalog.model import Segment
from conformance.reference.events import Subscription

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""Anything that JSON can say."""

Members: TypeAlias = dict[str, Json]
"""The members of one JSON object, in the order they are sent."""

JSON_MEDIA = "application/json"

_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Incoming(Struct, frozen=True):
    """One request, as it arrived.

    `path` begins after the prefix the service is mounted under and is still percent-encoded, like
    `query` (without the question mark). Header names are in lower case. `prefix` is "" or begins
    with a slash, so `prefix + path` is a Location a client can follow.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = {}
    body: bytes = b""
    prefix: str = ""


class Reply(Struct, frozen=True):
    """One answer, as it is sent.

    `delay_s` seconds pass before it is sent. With `drop` the connection is closed and nothing is
    sent. With `stream` the events of the subscription follow and `body` is not used. A header
    `Content-Length` that does not fit the body cuts the answer short.
    """

    status: int
    body: bytes = b""
    media_type: str | None = JSON_MEDIA
    headers: Mapping[str, str] = {}
    delay_s: float = 0.0
    drop: bool = False
    stream: Subscription | None = None


class Route(Struct, frozen=True):
    """Where a path leads; each part is None if the path ends before it.

    `ha_id` and `key` are decoded but spelled as they were asked. Without `ha_id` the route is the
    list of appliances or, with the place `events`, the events of all of them.
    """

    ha_id: str | None = None
    place: Segment | Literal["events"] | None = None
    key: str | None = None


class Refusal(Struct, frozen=True):
    """Why a request is not granted: an HTTP status and the two members of an error body."""

    status: int
    key: str
    description: str
    headers: Mapping[str, str] = {}


MALFORMED = Refusal(400, "400", "The request body is not what this path takes")
INVALID_TOKEN = Refusal(
    401, "invalid_token", "The access token is missing or wrong", {"WWW-Authenticate": "Bearer"}
)
UNKNOWN_PATH = Refusal(404, "404", "There is nothing at this path")
UNKNOWN_APPLIANCE = Refusal(404, "404", "There is no such home appliance")
READ_ONLY_PATH = Refusal(405, "405", "This path can only be read", {"Allow": "GET"})
WRONG_METHOD = Refusal(405, "405", "This path knows GET and PUT only", {"Allow": "GET, PUT"})
UNSUPPORTED: Mapping[Segment, Refusal] = {
    "settings": Refusal(409, "SDK.Error.UnsupportedSetting", "The appliance does not have this setting"),
    "status": Refusal(409, "SDK.Error.UnsupportedStatus", "The appliance does not have this status"),
}
INVALID_STATE = Refusal(409, "SDK.Error.InvalidSettingState", "The setting cannot be written, or not now")
INVALID_VALUE = Refusal(409, "SDK.Error.InvalidSettingValue", "The setting does not take this value")


def dump(document: Json) -> bytes:
    """Write a document as compact JSON in UTF-8.

    Raises:
        ValueError: the document holds NaN, an infinity or a lone surrogate.
    """
    return _COMPACT.encode(document).encode()


def parse(body: bytes) -> Json:
    """Read a document as strict JSON.

    Raises:
        ValueError: the bytes are no JSON, hold NaN or Infinity, or are nested too deep.
    """
    try:
        return cast("Json", json.loads(body, parse_constant=_no_constant))
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _no_constant(text: str) -> float:
    raise ValueError(f"{text} is no JSON")
