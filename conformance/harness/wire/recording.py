"""What is kept of a request and its answer: all but secrets and the headers of the HTTP library."""

import json
import re
import threading
from collections.abc import Iterable
from itertools import chain
from json.encoder import encode_basestring_ascii
from typing import Literal, get_args

from msgspec.structs import replace

from conformance.checks.exchange import Cut, Request, Response
from conformance.harness.wire.building import TRACEPARENT
from conformance.harness.wire.messages import Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.profiles.model import Profile

Room = Literal["reading", "confirming", "restoring"]
"""What an answer is kept for. Each has as much room as `http.limits.kept_bytes` says for each appliance, so
that long answers leave the others theirs.
"""

_LONGEST_FAILURE = 200
_SHORT_ANSWER = 2_048
_BEGINNING = 512
_NUMBER = re.compile(r"^\[Errno -?\d+\] ")
_BYTES = re.compile(r"bytearray\(b(.*)\)$", re.DOTALL)
"""What came, at the end of an error of h11."""
_ALWAYS = ("authorization", "content-type")


class Recorder:
    """Turns what was sent and what came back into what may be written down."""

    def __init__(self, profile: Profile, redactor: Redactor) -> None:
        """Headers are kept that the profile declares."""
        self._redactor = redactor
        most = profile.http.limits.kept_bytes * len(profile.appliance)
        self._left: dict[Room, int] = dict.fromkeys(get_args(Room), most)
        self._lock = threading.Lock()
        self._declared = {
            name.casefold() for name in (*profile.http.headers, *profile.auth.headers, *_ALWAYS)
        }

    def request(
        self, wanted: Wanted, url: str, headers: Iterable[tuple[str, str]] = (), traceparent: str = ""
    ) -> Request:
        """The request as sent to `url`, with the headers of the profile and its own; its id stands apart."""
        own = self._declared | {name.casefold() for name, _ in wanted.headers}
        if traceparent:
            own -= {TRACEPARENT}
        kept = tuple((name, self._redactor.text(value)) for name, value in headers if name.casefold() in own)
        body = self._redactor.text(wanted.body) if wanted.body is not None else None
        return Request(wanted.method, self._redactor.text(url), kept, body, traceparent)

    def response(self, response: Response, room: Room = "reading") -> Response:
        """The response, without secrets; only its beginning where it is over a bound."""
        kept = self._masked(response) if self._redactor.knows_any else response
        if kept.cut is None and not self._is_room_for(kept, room):
            kept = replace(kept, cut=Cut.of(response.body, "kept_bytes"))
        return _beginning(kept) if kept.cut else kept

    def _masked(self, response: Response) -> Response:
        headers = tuple(
            (self._redactor.text(name), self._redactor.text(value)) for name, value in response.headers
        )
        return replace(response, headers=headers, body=self._redactor.body(response.body, response.charset))

    def _is_room_for(self, response: Response, room: Room) -> bool:
        """Whether a response may be kept whole: short ones always, long ones while the ledger has room."""
        if len(response.body) > max(_SHORT_ANSWER, self._left[room]):
            return False  # as JSON it is longer still, and is not written out to see that
        texts = (*chain(*response.headers), *response.redirects, response.body.decode("utf-8", "replace"))
        size = sum(map(len, map(encode_basestring_ascii, texts)))  # as they are written
        with self._lock:
            is_room = size <= max(_SHORT_ANSWER, self._left[room])
            if size > _SHORT_ANSWER and is_room:
                self._left[room] -= size
        return is_room

    def text(self, text: str) -> str:
        """A text, without secrets."""
        return self._redactor.text(text)

    def words(self, error: Exception) -> str:
        """What an error says, short and without its number: it may quote all that a server sent."""
        said = _BYTES.sub(r"\1", _NUMBER.sub("", str(error))) or type(error).__name__
        return self._redactor.text(said)[:_LONGEST_FAILURE]


def _beginning(response: Response) -> Response:
    """A response that was cut, with the beginnings of its headers and body."""
    headers: list[tuple[str, str]] = []
    left = _SHORT_ANSWER
    for name, value in response.headers:
        left -= len(json.dumps((name, value)))
        if left < 0:
            break
        headers.append((name, value))
    return replace(
        response, headers=tuple(headers), body=response.body[:_BEGINNING], redirects=response.redirects[:1]
    )
