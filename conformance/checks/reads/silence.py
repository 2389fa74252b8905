"""Why no key of an appliance gave a value: the one cause that most reads share, and what to look at first.

Nothing is judged by it. It is the first thing that somebody meets whose address, maker's name or access is
not right yet.
"""

import re
from collections import Counter
from typing import Literal, TypeAlias
from urllib.parse import urljoin, urlsplit

from msgspec import Struct

from catalog.keys import POWER_STATE
from catalog.loader import CATALOG
from catalog.maker import with_maker
from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.exchange import FailureKind
from conformance.checks.groups import NONCE_HA_ID
from conformance.checks.view import View
from conformance.model.json_values import printable
from conformance.profiles.sections import Auth

Nature: TypeAlias = Literal["a sign-in page (HTML)", "HTML", "XML", "text", "no text"]

_LOOKED_AT = 20_000
_NOT_ACCEPTABLE = 406
_LONGEST_LINE = 240
TO_A_SLASH = "the same path with a slash behind it: http.follow_redirects = true follows there"
_TELLING = 4  # keys that do not begin with the maker's name
_ADDED = ("/api/homeappliances", "/api")
_MARKUP = re.compile(r"<(?:!doctype\s+(\w+)|(\?xml)|(?:[\w.-]+:)?([a-z][\w.-]*)[\s/>])", re.IGNORECASE)
_PAGES = {"html", "head", "body"}
_PASSWORD_FIELD = re.compile(r"<input\b[^>]*\btype\s*=\s*[\"']?password\b", re.IGNORECASE)


def nature_of(body: bytes, media_type: str) -> Nature:
    """What a body seems to be; only ever said to a reader, no verdict rests on it."""
    text = body[:_LOOKED_AT].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    begins = _MARKUP.match(text)
    page = bool(begins) and any(name and name.casefold() in _PAGES for name in begins.groups())
    if page or media_type in {"text/html", "application/xhtml+xml"}:
        return "a sign-in page (HTML)" if _PASSWORD_FIELD.search(text) else "HTML"
    if begins or media_type.endswith(("/xml", "+xml")):
        return "XML"
    return "no text" if b"\0" in body[:_LOOKED_AT] or "\ufffd" in text else "text"


def first_line(body: bytes) -> str:
    """The first line of a body that is not empty, all of it where it is JSON, at most 240 characters.

    Control characters are made visible.
    """
    text = body[:_LOOKED_AT].decode("utf-8", "backslashreplace").lstrip("\ufeff")
    if text.lstrip().startswith(("{", "[")):
        text = " ".join(text.split())
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    return printable(line, _LONGEST_LINE)


Cause: TypeAlias = (
    FailureKind
    | Literal[
        "not asked",
        "access",
        "throttled",
        "too large",
        "redirect",
        "server error",
        "unreachable",  # declared in http.unreachable
        "refusal",  # as no answer for an unknown appliance: so the appliance is known
        "unknown appliance",  # as the answer for a haId that does not exist, or nobody knows
        "foreign",
        "no place",  # JSON, and nothing says where its value is
        "no value",
    ]
)

_BY_OUTCOME: dict[Outcome, Cause] = {
    Outcome.AUTH: "access",
    Outcome.THROTTLE: "throttled",
    Outcome.REDIRECT: "redirect",
    Outcome.SERVERERR: "server error",
    Outcome.TRANSPORT: "timeout",
    Outcome.UNREACHABLE: "unreachable",
    Outcome.REFUSED: "refusal",
}
_BY_ABSENCE: dict[Absence | None, Cause] = {
    Absence.FOREIGN: "foreign",
    Absence.MALFORMED: "foreign",
    Absence.MISSING: "no place",
    Absence.UNPOINTED: "no place",
}

_OF_SUCCESSES: frozenset[Cause] = frozenset({"foreign", "no place", "no value"})


class Silence(Struct, frozen=True):
    """Why there was no value: the cause, a sentence that says what to do, and an answer that shows it."""

    cause: Cause
    sentence: str
    answer: Answer | None


def silence_of(seen: View) -> Silence:
    """The cause that most reads of the appliance share; the first one met among equals."""
    answers = list(seen.reads.values())
    if not answers:
        return Silence("not asked", "nothing was asked of this appliance", None)
    causes: list[Cause] = [_cause(answer) for answer in answers]
    counted = Counter(causes)
    if counted.keys() & _OF_SUCCESSES:
        counted.pop("refusal", None)  # it may be of an entry that the appliance does not have
    cause: Cause = max(counted, key=counted.__getitem__)
    first = answers[causes.index(cause)]
    if cause == "refusal" and first.signature in {answer.signature for answer in seen.group(NONCE_HA_ID)}:
        cause = "unknown appliance"
    return Silence(cause, _sentence(cause, seen, first), first)


def _cause(answer: Answer) -> Cause:
    if answer.exchange.failure:
        return answer.exchange.failure.kind
    if answer.limit:
        return "too large"
    return _BY_OUTCOME.get(answer.outcome) or _BY_ABSENCE.get(answer.absence, "no value")


def _sentence(cause: Cause, seen: View, answer: Answer) -> str:
    parts = urlsplit(seen.profile.target.base_url)
    host, port = parts.hostname or "", parts.port or {"http": 80, "https": 443}[parts.scheme]
    failure, response = answer.exchange.failure, answer.exchange.response
    if failure or response is None or cause == "timeout":
        return _of_connection(
            cause, host, port, parts.scheme, failure.text if failure else f"status {answer.status}"
        )
    body, media_type = response.body, response.media_type
    location = response.header("location") or ""
    asked = f"GET {answer.exchange.request.url} was asked"
    status = f"status {response.status}"
    nature = nature_of(body, media_type)
    shown = f"a body of {nature}" if "HTML" in nature or nature == "XML" else first_line(body)
    says = f"{status}, {shown}" if body.strip() else status
    maker = _on_the_maker(seen)
    sentences: dict[Cause, str] = {
        "access": f"access is refused ({says}): {_advice_on_access(seen.profile.auth, response.status)}",
        "throttled": f"the target asks for patience ({status}): ask later, or more slowly (pace.per_minute)",
        "too large": (
            f"the answers are larger than is read ({status}): http.limits.{answer.limit} sets the bound."
            f" {asked}"
        ),
        "redirect": (
            f"every request is redirected ({status}, to {first_line(location.encode()) or 'nowhere'}): "
            + (
                f"that is {TO_A_SLASH}"
                if leads_to_a_slash(answer.exchange.request.url, location)
                else "declare the address that answers as base_url, or [auth] where it leads to a sign-in"
                " page"
            )
        ),
        "server error": f"the target itself fails ({says})",
        "refusal": (
            f"every key is refused ({says}), and a haId that does not exist is refused otherwise. Is the"
            f" appliance off or offline (http.unreachable declares what says so)?{maker and f' {maker}'}"
        ),
        "unreachable": (
            f"{seen.appliance.ha_id} was offline from {answer.exchange.at[11:19]} ({says}), as"
            " http.unreachable declares"
        ),
        "unknown appliance": (
            f"every key is refused ({says}), and so is a haId that does not exist."
            f" {_lost_on_the_way(seen, asked)}"
        ),
        "foreign": (
            f"the target answers with {nature_of(body, media_type)}, no JSON; it begins: {first_line(body)}."
            f" Is there another service, a sign-in page or a proxy at base_url? {asked}"
        ),
        "no place": f"the target answers with JSON ({says}), and {_lost(answer, maker)}",
        "no value": (
            f"the target answers ({says}), but"
            f" {answer.absence.value if answer.absence else 'without a value'}{maker and f'. {maker}'}"
        ),
    }
    return sentences[cause]


def _on_the_maker(seen: View) -> str:
    """The advice to check the maker's name; empty where something shows that it is right.

    Another appliance answers under it, or keys were asked for that begin otherwise, and gave no value either.
    """
    others = [key for _, key in seen.reads if not CATALOG.entries[key].is_vendor]
    if seen.answering or len(others) >= _TELLING:
        return ""
    return (
        "First check the maker's name, --vendor NAME or target.vendor in a profile: keys are asked for as"
        f" {with_maker(POWER_STATE, seen.maker)}"
    )


def _lost_on_the_way(seen: View, asked: str) -> str:
    """What to look at first where an appliance answers as one that does not exist."""
    base = seen.profile.target.base_url.rstrip("/")
    added = next((part for part in _ADDED if base.endswith(part)), "")
    if added:
        return f"base_url ends in {added}, which the suite adds: is it {base.removesuffix(added)}? {asked}"
    if seen.answering:
        others = f"{seen.answering[0]} answers, this one does not"
        return f"haId {seen.appliance.ha_id}: {others}. Is the haId right, and is it online? {asked}"
    maker = _on_the_maker(seen)
    first = f"{maker}; then the haId" if maker else "Check the haId"
    return f"{first}, and the path of base_url: {asked}"


def _lost(answer: Answer, maker: str) -> str:
    """Why no value is found in JSON: no pointer fits, or several do, or nothing looks like a value."""
    if answer.absence is Absence.MISSING and not answer.calibrated:
        return f"there is {answer.note}: is answer.value right?"
    return (
        answer.note
        or f"nothing in it looks like a value. {f'{maker}; then d' if maker else 'D'}eclare answer.value, its"
        " JSON Pointer"
    )


def leads_to_a_slash(asked: str, location: str) -> bool:
    """Whether a redirect from `asked` leads to the same path with a slash behind it."""
    return urljoin(asked, location) == f"{asked}/"


def _advice_on_access(auth: Auth, status: int) -> str:
    if status == _NOT_ACCEPTABLE:
        return 'name the media type that the target gives, in a profile http.headers = { Accept = "..." }'
    if not (auth.headers or auth.query or auth.is_renewable):
        return (
            "say what the target asks for: --header 'Authorization: Bearer ${TOKEN}', or in a profile a line"
            ' [auth] and below it headers = { Authorization = "Bearer ${TOKEN}" }'
        )
    check = "check that the token of [auth] is right, has not expired, and is for this appliance"
    renewing = "" if auth.is_renewable else "; auth.oauth2 or auth.token_cmd get another one during a run"
    return check + renewing


def _of_connection(cause: Cause, host: str, port: int, scheme: str, text: str) -> str:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    sentences: dict[Cause, str] = {
        "refused": (
            f"nothing listens at {place} (connection refused): is the server running, and is the port of"
            " base_url right?"
        ),
        "name": (
            f"the host name {host} is not known here: is base_url spelled right, and is this the network that"
            " knows it?"
        ),
        "timeout": (
            f"{place} does not answer in time ({text}): is base_url right, and does a firewall stand between?"
        ),
        "untrusted": (
            f"the certificate of {place} is signed by nobody who is trusted here: name its CA in a profile,"
            ' http.verify = "ca.pem"; for a trial, http.verify = false'
        ),
        "expired": f"the certificate of {place} is not valid today: it has expired, or the clock is wrong",
        "other name": (
            f"the certificate of {place} is for another host: write the host that it names into base_url"
        ),
        "not tls": f"{place} does not speak TLS: does base_url begin with http:// rather than https://?",
        "tls": f"TLS fails at {place}: {text}",
        "closed": (
            f"{place} closes every connection without an"
            f" answer{': does it expect https://?' if scheme == 'http' else ''}"
        ),
    }
    return sentences.get(cause, f"{place} gives no answer that can be read ({text}): is it an HTTP service?")
