"""What a run did and knows: the lines of the ledger, which every judgement rests on.

An exchange is one request and what came back, a remark is what is known beside exchanges. Secrets are
replaced before one is built.
"""

import codecs
import hashlib
import re
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from msgspec import Meta, Struct, field

from conformance.checks.groups import Group
from conformance.profiles.sections import LimitName

if TYPE_CHECKING:
    from pydantic import JsonValue
else:
    JsonValue = Any  # msgspec, which reads these records from a ledger, knows no recursive type

DEFAULT = "utf-8"
_LONGEST_NAME = 60
_ESCAPES = frozenset(
    {
        "idna",
        "mbcs",
        "oem",
        "palmos",
        "punycode",
        "raw-unicode-escape",
        "undefined",
        "unicode-escape",
        "utf-7",
    }
)
"""Codecs of Python that stand beside those of character sets, and a transfer encoding."""


def character_set(name: str) -> str:
    """`name` if it names a character set, else UTF-8, the only encoding of JSON (RFC 8259, section 11)."""
    if len(name) > _LONGEST_NAME:
        return DEFAULT
    try:
        "".encode(name)  # raises for a codec that makes no bytes of text
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return DEFAULT
    return DEFAULT if known in _ESCAPES else name


Purpose = Literal[
    "read", "control", "repeat", "list", "event", "write", "restore", "generated", "hook", "auth", "wait"
]
FailureKind = Literal[
    "timeout",  # no whole answer in time
    "name",  # the host name is not known
    "refused",  # nothing listens at the port
    "connect",  # no connection for another reason, such as no route
    "untrusted",  # nobody that http.verify trusts has signed the certificate
    "expired",  # the certificate is not valid today
    "other name",  # the certificate is for another host
    "not tls",  # https was asked for, and what answers does not speak TLS
    "tls",  # any other fault of TLS
    "closed",
    "protocol",
    "undecodable",
    "other",
]

JUDGED = frozenset({"read", "control", "repeat", "list", "write", "restore", "generated", "hook"})
"""The purposes of exchanges that cases may rest on; to open a stream, to ask for a token or
to wait for the target, or for a connection that others had, says nothing of an appliance.
"""


WRITES = frozenset({"write", "restore"})
"""The purposes of exchanges that write."""

Count = Annotated[int, Meta(ge=0)]
Traceparent = Annotated[str, Meta(pattern="^(00-[0-9a-f]{32}-[0-9a-f]{16}-01)?$")]
_written = field(default_factory=int)
"""Nothing, which a ledger line says all the same: it leaves out what is as its plain default says."""


class Request(Struct, frozen=True, omit_defaults=True):
    """What was sent, each header as often as it was; `body` is None when nothing was.

    `traceparent` is the header of that name (W3C Trace Context), empty where none was sent. It is not among
    `headers`: no verdict rests on it, and who makes the request again is another one.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: str | None = field(default_factory=lambda: None)  # which a ledger line says all the same
    traceparent: Traceparent = ""

    @property
    def trace_id(self) -> str:
        """The id of its trace, by which the logs of the target are searched; empty where it has none."""
        return self.traceparent[3:35]


class Cut(Struct, frozen=True, rename={"length": "body_length", "sha256": "body_sha256"}):
    """What is kept of an answer over a bound.

    `length` and `sha256` are of the part of its body that was read, secrets included; `limit` is the bound.
    """

    length: Count
    sha256: str
    limit: LimitName

    @classmethod
    def of(cls, body: bytes, limit: LimitName) -> Self:
        """What is known of an answer of whose body this was read."""
        return cls(len(body), hashlib.sha256(body).hexdigest(), limit)


class Response(Struct, frozen=True, omit_defaults=True):
    """What came back, bytes unchanged; `elapsed_ms` runs from the first byte sent to the last received.

    `redirects` are the addresses that were asked next, where the profile follows redirects; `complete` is
    false where the connection was closed before the announced end of the body, and for a stream that was
    opened.
    `connection` is the number of the connection within the run, 0 where it is not known; `surplus_bytes` were
    received on it beyond the end of the answer, after which it was closed. Where it was `cut`, `body` is only
    how the body began.
    """

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    elapsed_ms: float
    redirects: tuple[str, ...] = ()
    complete: bool = True
    connection: Count = _written
    surplus_bytes: Count = _written
    cut: Cut | None = None

    def header(self, name: str) -> str | None:
        """The first header called `name`, whatever its case."""
        return next((value for field, value in self.headers if field.casefold() == name.casefold()), None)

    @property
    def may_be_cut(self) -> bool:
        """Whether the body is cut short, or could be: neither its length nor its end was announced."""
        return not self.complete or not (self.header("content-length") or self.header("transfer-encoding"))

    @property
    def charset(self) -> str:
        """The character set that the media type names, else UTF-8 (the document shows none)."""
        found = re.search(r"charset\s*=\s*\"?([\w.:-]+)", self.header("content-type") or "", re.IGNORECASE)
        return character_set(found[1].casefold()) if found else DEFAULT

    @property
    def media_type(self) -> str:
        """The media type without its parameters, in lower case; empty when none was sent."""
        return (self.header("content-type") or "").partition(";")[0].strip().casefold()

    @property
    def says_json(self) -> bool:
        """Whether the media type is one of JSON."""
        return bool(re.fullmatch(r"application/(.+\+)?json|text/json", self.media_type))


class Failure(Struct, frozen=True, omit_defaults=True):
    """Why there is no response; `redirects` as in a response: the last of these gave none."""

    kind: FailureKind
    text: str
    redirects: tuple[str, ...] = ()


class Exchange(Struct, frozen=True, omit_defaults=True):
    """One request with its response or its failure.

    `n` is the number of its line in the ledger; `groups` the procedures that wait for it, that it was made
    for first (none for a shared read), and `lane` the haId of the appliance whose procedures they are, which
    may ask another appliance (`ha_id`), or one that cannot exist; `segment` the path segment asked, which for
    a probe may be none of the document's; `at` is RFC 3339. `value` is what a write was to write, None for
    everything else.
    """

    n: int
    purpose: Purpose
    groups: tuple[Group, ...]
    lane: str
    ha_id: str
    key: str
    segment: str
    at: str
    request: Request
    response: Response | None = None
    failure: Failure | None = None
    value: JsonValue = None

    @property
    def group(self) -> Group | None:
        """The procedure it was made for; None for a shared read."""
        return self.groups[0] if self.groups else None

    @property
    def began(self) -> float:
        """When the request was sent, in seconds since 1970."""
        return datetime.fromisoformat(self.at).timestamp()


Noted = Literal[
    "event", "operator", "write", "hook", "tries", "known", "made", "unfinished", "lost", "others"
]
"""What a line without a request is about."""


class Remark(Struct, frozen=True):
    """A line of the ledger without a request: `note` is what is known, as plain JSON.

    `group` is the procedure that it was noted in, of the appliance `ha_id`.
    """

    purpose: Noted
    group: Group
    ha_id: str
    key: str
    note: dict[str, JsonValue]

    @property
    def refusal(self) -> str:
        """Why the run made no write for the group; empty for a remark about anything else."""
        return str(self.note["refused"]) if self.purpose == "write" else ""
