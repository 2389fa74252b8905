"""The base of every table of a profile, the types of its fields, and the mistakes that are found in them."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Struct
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

_OF_THE_CONNECTION = frozenset(
    {
        "connection",
        "content-length",
        "expect",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that say how a message is delimited and carried (RFC 9112); a wrong one makes every answer wrong.
"""
_MOST_NAMED = 100
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Table(BaseModel):
    """One table of a profile: frozen, and a field it does not know is a mistake.

    Its numbers and booleans are strict: TOML tells `"2"` from a number, and 1 from true. None is infinite:
    JSON, in which a ledger keeps a profile, has no such number.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, populate_by_name=True, defer_build=True, allow_inf_nan=False
    )


def _pointer(text: str) -> str:
    if text and not text.startswith("/"):
        raise ValueError(f"a JSON Pointer is empty or begins with '/', this is {text!r}")
    if re.search(r"~(?![01])", text):
        raise ValueError(f"in a JSON Pointer '~' is written ~0 and '/' in a name ~1, this is {text!r}")
    return text


def _base_url(text: str) -> str:
    parts = urlsplit(text)
    host = parts.netloc.rpartition("@")[2]
    if host.count(":") > 1 and not host.startswith("["):
        raise ValueError("holds several colons: an IPv6 address stands in brackets, as in http://[::1]:8080")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be http://HOST... or https://HOST...")
    try:
        parts.hostname.encode("idna").decode("idna")
    except UnicodeError:
        raise ValueError(f"{parts.hostname!r} is no name that a host can have") from None
    if any(character.isspace() for character in text) or parts.port == 0:
        raise ValueError("holds a space, or port 0")
    if "@" in parts.netloc:
        raise ValueError("carries a user or password: secrets belong in [auth] as ${NAME}")
    if "?" in text or "#" in text:
        raise ValueError(
            "must not carry a query or a fragment: parameters of each address stand in [http],"
            ' query = { NAME = "VALUE" }, secret ones in [auth]'
        )
    return text.rstrip("/")


def _ha_id(text: str) -> str:
    if text in {"", ".", "..", "*"}:
        raise ValueError(
            "must be an identifier ('', '.', '..' and '*' have another meaning in paths and case ids)"
        )
    return text


def _header_name(text: str) -> str:
    if text.casefold() == "host":
        raise ValueError(
            "cannot be declared: it is the host of base_url; write the name there, and let it lead to the"
            " address that is meant, such as in /etc/hosts"
        )
    if text.casefold() in _OF_THE_CONNECTION:
        raise ValueError("cannot be declared: the HTTP client sets it for each request")
    if not _TOKEN.fullmatch(text):
        raise ValueError(f"is no header name (found {text!r})")
    return text


def why_not_sent(value: str) -> str:
    """Why HTTP cannot carry a value in a header; empty where it can."""
    if value != value.strip() or not value.replace("\t", " ").isprintable():
        return "begins or ends with a space or line end, or holds a control character"
    return "" if value.isascii() else "holds a character that is not ASCII"


def _header_value(text: str) -> str:
    if reason := why_not_sent(text):
        raise ValueError(f"{reason}: HTTP cannot carry it")
    return text


def _trust(value: object) -> object:
    if not isinstance(value, bool | str):
        raise ValueError("must be true or false, or the path of a CA bundle")  # noqa: TRY004  as below
    return value


def _statuses(text: object) -> str:
    if not isinstance(text, str):
        raise ValueError("must be a text, such as '200-299'")  # noqa: TRY004  pydantic knows no other
    parse_statuses(text)
    return text


@lru_cache(maxsize=32)
def parse_statuses(text: str) -> frozenset[int]:
    """The status codes named by a list such as `200-299` or `200,203-206`.

    Raises:
        ValueError: when a part is no code between 100 and 599, or a range runs backwards.
    """
    codes: set[int] = set()
    for part in text.split(","):
        low, _, high = part.strip().partition("-")
        if not low.isdecimal() or not (high or low).isdecimal():
            raise ValueError(f"{part.strip()!r} is no status code and no range such as 200-299")
        first, last = int(low), int(high or low)
        if not 100 <= first <= last <= 599:
            raise ValueError(f"{part.strip()!r} is not a range of status codes")
        codes.update(range(first, last + 1))
    return frozenset(codes)


Pointer = Annotated[str, AfterValidator(_pointer)]
BaseUrl = Annotated[str, AfterValidator(_base_url)]
Label = Annotated[str, StringConstraints(strip_whitespace=True)]
HaId = Annotated[str, AfterValidator(_ha_id)]
HeaderName = Annotated[str, AfterValidator(_header_name)]
HeaderValue = Annotated[str, AfterValidator(_header_value)]
Statuses = Annotated[str, BeforeValidator(_statuses)]
Trust = Annotated[bool | str, BeforeValidator(_trust)]
Seconds = Annotated[float, Field(strict=True, ge=0, le=86_400)]
Positive = Annotated[float, Field(strict=True, gt=0)]


class Problem(Struct, frozen=True):
    """One mistake: its TOML path (`appliance[0].kind`), what is wrong, and what may have been meant."""

    place: str
    text: str
    suggestion: str | None = None

    def __str__(self) -> str:
        return f"{self.place}: {self.text}" + (
            f" (did you mean {self.suggestion!r}?)" if self.suggestion else ""
        )


def nearest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """What may be meant by a word that is not known; None where nothing is like it."""
    return next(iter(get_close_matches(word, list(known), n=1, cutoff=cutoff)), None)


class ProfileError(Exception):
    """A profile that cannot be used; `problems` holds every mistake, in the order of the tables."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        """Keeps the mistakes; the text of the error lists the first hundred."""
        self.source = source
        self.problems = tuple(problems)
        count = f"{len(problems)} mistake" + ("s" if len(problems) != 1 else "")
        named = [f"  {problem}" for problem in problems[:_MOST_NAMED]]
        named += [f"  and {len(problems) - _MOST_NAMED} more"] if len(problems) > _MOST_NAMED else []
        super().__init__("\n".join([f"{source}: {count}", *named]))
