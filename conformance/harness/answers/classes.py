"""Gives an exchange its outcome class, and finds the value and what else the body shows."""

import json
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from catalog.model import Segment
from conformance.checks.answer import Absence, Answer, Outcome, Signature
from conformance.checks.exchange import Exchange, Response
from conformance.checks.reads.silence import nature_of
from conformance.harness.answers.decoding import MalformedError, TooLargeError, decode, find, lexical
from conformance.harness.pace import is_throttled
from conformance.model.json_values import NOTHING
from conformance.model.values import Shown
from conformance.profiles.fields import parse_statuses
from conformance.profiles.model import Profile
from conformance.profiles.sections import LimitName, Limits, Pointers, Refusal

UNPROCESSED = frozenset({408, 421, 425})
"""The statuses that say only that nobody looked at a request: too slow, to the wrong server, too early."""
_ACCESS = {401, 403, 406, 407}
_UNIMPLEMENTED = 501
_COMPOUND = re.compile(r"[a-z][A-Z0-9]")
_NUMBER = re.compile(r"\d+(\.\d+)?")
_IDENTIFIER = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|\b(?=\w*\d)(?=\w*[a-z])\w{8,}\b", re.IGNORECASE)


class Guess(Struct, frozen=True):
    """Where values seem to stand.

    Attributes:
        value: the place in all answers, or in those under settings where `status` is given.
        status: the place in answers under status, where it differs.
        candidates: the places among which nobody can tell, where there is no guess.
    """

    value: str | None = None
    status: str | None = None
    candidates: tuple[str, ...] = ()

    def places(self, segment: str) -> tuple[str, ...]:
        """The places in an answer under `segment`, the likely one first (line 149: it may be either)."""
        both = (self.status, self.value) if segment == "status" else (self.value, self.status)
        return tuple(place for place in both if place is not None)


class Classifier(Struct, frozen=True):
    """Classifies the exchanges of one run; the guess counts where the profile declares no pointer."""

    profile: Profile
    guess: Guess = Guess()
    speaks_json: bool = False

    def answer(self, exchange: Exchange) -> Answer:
        """The answer an exchange amounts to."""
        response = exchange.response
        if response is None:
            return _unread(exchange)
        if response.cut:
            return _unread(exchange, response.cut.limit)
        outcome = _class_of(response, parse_statuses(self.profile.http.success))
        if outcome is not None:
            return self._finish(Answer(exchange, outcome, self._signature(exchange, response, outcome)))
        try:
            return self._finish(self._success(exchange, response))
        except TooLargeError as error:
            return _unread(exchange, error.limit)

    def _success(self, exchange: Exchange, response: Response) -> Answer:
        def without(absence: Absence, **shown: Any) -> Answer:
            signature = self._signature(exchange, response, Outcome.NOVALUE)
            return Answer(exchange, Outcome.NOVALUE, signature, absence=absence, **shown)

        body, absence, note = self._parsed(response)
        if absence:
            return without(absence, note=note)
        pointers = self._pointers(exchange, body)
        pointer = pointers.value if pointers.value is not None else self._guessed(exchange, body)
        if pointer is None:
            note = _alternatives(self.guess.candidates)
            return without(Absence.UNPOINTED, body=body, calibrated=True, note=note)
        calibrated = pointers.value is None
        value: object = find(body, pointer)
        if not pointer and isinstance(value, dict | list):
            # where values stand bare at the root, a structure is no value: an error in band, most likely
            value = NOTHING
        if value is NOTHING:
            note = f"no member at {pointer!r}" if pointer else ""
            return without(Absence.MISSING, body=body, calibrated=calibrated, note=note)
        if value is None:
            return without(Absence.NULL, body=body, calibrated=calibrated)
        return Answer(
            exchange,
            Outcome.VALUE,
            # a value's signature is never used, and masking a body is slow
            Signature(Outcome.VALUE, response.status, response.media_type, ""),
            body=body,
            value=value,
            pointer=pointer,
            calibrated=calibrated,
            shown=_shown(body, pointers),
            lexical=lexical(response.body, value),
        )

    def _guessed(self, exchange: Exchange, body: object) -> str | None:
        """The first of the guessed places that the body has; the likely one where it has none."""
        places = self.guess.places(exchange.segment)
        return next(
            (place for place in places if find(body, place) is not NOTHING), places[0] if places else None
        )

    def _parsed(self, response: Response) -> tuple[object, Absence | None, str]:
        """The body, or why there is none to look into."""
        if not response.complete:
            cut = f"the body ends after {len(response.body)} bytes, before the end it announced"
            return NOTHING, Absence.MALFORMED, cut
        if not response.body.strip():
            return NOTHING, Absence.EMPTY, ""
        try:
            return decode(response.body, response.charset, self.profile.http.limits), None, ""
        except TooLargeError:
            raise
        except MalformedError as error:
            claims_json = self.speaks_json or response.says_json
            nature = nature_of(response.body, response.media_type)
            named = f"{nature}, no JSON" if nature not in {"text", "no text"} else f"no JSON: {error}"
            return NOTHING, Absence.MALFORMED if claims_json else Absence.FOREIGN, f"the body is {named}"

    def _finish(self, answer: Answer) -> Answer:
        """Marks an answer that the profile declares to mean "offline" or "not supported"."""
        http = self.profile.http
        if self._is_declared(answer, http.unreachable):
            outcome = Outcome.UNREACHABLE
            signature = replace(answer.signature, outcome=outcome)
            return replace(answer, outcome=outcome, signature=signature, absence=None, note="")
        if self._is_declared(answer, http.not_supported):
            note = f"declared in http.not_supported, status {answer.status}"
            return replace(answer, declared_unsupported=True, note=note)
        return answer

    def _is_declared(self, answer: Answer, declared: Iterable[Refusal]) -> bool:
        """Whether an answer without a value is one of those that are declared."""
        response = answer.exchange.response
        return (
            response is not None
            and not answer.has_value
            and any(
                response.status == one.status
                and (
                    one.pointer is None
                    or _holds(response.body, one.pointer, one.equals, self.profile.http.limits)
                )
                for one in declared
            )
        )

    def _pointers(self, exchange: Exchange, body: object) -> Pointers:
        """The pointers for a body; a status under settings may have the shape of either (line 149)."""
        segment: Segment = "status" if exchange.segment == "status" else "settings"
        listed = getattr(self.profile.list, segment) if exchange.purpose == "list" else None
        if listed:
            return Pointers(value=listed.items)
        own, of_status = self.profile.answer.under(segment), self.profile.answer.under("status")
        found = own.value is None or find(body, own.value) is not NOTHING
        return own if found or ".Status." not in exchange.key else of_status

    def _signature(self, exchange: Exchange, response: Response, outcome: Outcome) -> Signature:
        return Signature(outcome, response.status, response.media_type, _masked(exchange, response.body))


def _unread(exchange: Exchange, limit: LimitName | None = None) -> Answer:
    """What there is of no answer, or of one that is over a bound of the suite's own."""
    return Answer(exchange, Outcome.TRANSPORT, Signature(Outcome.TRANSPORT, None, "", ""), limit=limit)


def _class_of(response: Response, success: frozenset[int]) -> Outcome | None:  # noqa: PLR0911  one return a row of the table
    """The class that the status alone gives; None for a success, whose body decides."""
    status = response.status
    if status in success:
        return None
    if is_throttled(response):
        return Outcome.THROTTLE
    if status in UNPROCESSED:
        return Outcome.TRANSPORT
    if status in _ACCESS:
        return Outcome.AUTH
    if 300 <= status < 400:
        return Outcome.REDIRECT
    if status >= 500 and status != _UNIMPLEMENTED:
        return Outcome.SERVERERR
    return Outcome.REFUSED


def _alternatives(candidates: tuple[str, ...]) -> str:
    """What to declare where the value may stand at several places; empty where none is known."""
    if not candidates:
        return ""
    return f"nothing says where its value is: declare answer.value ({' or '.join(map(repr, candidates))}?)"


def _shown(body: object, pointers: Pointers) -> Shown:
    places = {name: getattr(pointers, name) for name in Shown.__struct_fields__}
    return Shown(
        **{name: NOTHING if pointer is None else find(body, pointer) for name, pointer in places.items()}
    )


def _holds(body: bytes, pointer: str, wanted: object, limits: Limits) -> bool:
    try:
        return find(decode(body, limits=limits), pointer) == wanted
    except MalformedError:
        return False


def _masked(exchange: Exchange, body: bytes) -> str:
    """The body without what differs from one unknown key to the next: path, key, haId, identifiers, numbers.

    The last part of a key is left alone where it is an ordinary word (`Freezer`): it may stand in any
    sentence.
    """
    text = body.decode("utf-8", "replace")
    lowered = text.lower()
    for word in _words_of(exchange.key, exchange.ha_id, exchange.request.url):
        if word.lower() in lowered:  # most are not, and looking is cheaper than replacing
            # a haId of one letter stands in many words
            text = re.sub(rf"(?<![a-z0-9]){re.escape(word)}(?![a-z0-9])", "<>", text, flags=re.IGNORECASE)
    return _without_numbers(text.replace(f"/{exchange.segment}/", "/<>/"))


@lru_cache(maxsize=256)  # most refusals of a server say the same
def _without_numbers(text: str) -> str:
    """A text without identifiers and numbers."""
    return _NUMBER.sub("#", _IDENTIFIER.sub("#", text))


@lru_cache(maxsize=4_096)  # an answer is classified when it comes, when it is judged, and for each repetition
def _words_of(key: str, ha_id: str, url: str) -> tuple[str, ...]:
    """What names the key and the appliance of a request in a body, as it is and quoted; the longest first."""
    asked = unquote(urlsplit(url).path.rpartition("/")[2])
    name = asked.rpartition(".")[2]
    words = {key, asked, ha_id, name if _COMPOUND.search(name) else ""} - {""}
    words |= {quote(word, safe="") for word in words} | {json.dumps(word)[1:-1] for word in words}
    return tuple(sorted(words, key=len, reverse=True))
