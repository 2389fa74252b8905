"""The tables of a profile: how one talks to a target, where it says what, how a run acts on it, its fleet.

What they declare the document does not show (lines 25, 127 to 133, 142, 150, 151, 155, 159, 163). Without
`[write]` nothing is ever written, and without a hook nobody operates an appliance. Times are seconds. Each
bound of `[http.limits]` is far above what an appliance needs and far below what would harm the machine that
runs it. What is over one is read in part and recorded as such; a case that rests on it is inconclusive and
names the field that raises the bound.
"""

from typing import Literal

from pydantic import ConfigDict, Field, JsonValue, StrictBool, StrictFloat, StrictInt

from catalog.model import Segment
from conformance.profiles.fields import (
    BaseUrl,
    HeaderName,
    HeaderValue,
    Label,
    Pointer,
    Seconds,
    Statuses,
    Table,
    Trust,
)


class Pointers(Table):
    """Where a body holds what (line 25: field names are not shown). An absent pointer is undeclared."""

    value: Pointer | None = None
    key: Pointer | None = None
    unit: Pointer | None = None
    type: Pointer | None = None
    min: Pointer | None = None
    max: Pointer | None = None
    step: Pointer | None = None
    allowed: Pointer | None = None
    access: Pointer | None = None
    description: Pointer | None = None


class AnswerShape(Pointers):
    """The pointers of an answer; `status` where statuses are shaped otherwise."""

    status: Pointers | None = None

    def under(self, segment: Segment) -> Pointers:
        """The pointers for an answer under `segment`."""
        return self.status if segment == "status" and self.status else self


class ListShape(Table):
    """A list of settings or statuses (line 151: not shown): its path, its items, the key of an item."""

    path: str
    items: Pointer
    key: Pointer = "/key"


class Lists(Table):
    """The lists a target offers; they are only ever observed, and may tell what to read again."""

    settings: ListShape | None = None
    status: ListShape | None = None


class Refusal(Table):
    """A declared answer, for an entry or an appliance that is not there: a status, perhaps a body member."""

    status: StrictInt = Field(ge=100, le=599)
    pointer: Pointer | None = None
    equals: JsonValue = None


LimitName = Literal["body_bytes", "inflation", "headers", "header_bytes", "depth", "members", "kept_bytes"]
"""The bounds that keep an answer from being judged; the others end something early that no case rests on."""

EXCEEDED: dict[LimitName, str] = {
    "body_bytes": "its body is longer than",
    "inflation": "its body inflates further than",
    "headers": "it has more headers than",
    "header_bytes": "its headers are longer than",
    "depth": "its JSON is nested deeper than",
    "members": "its JSON has more members and items than",
    "kept_bytes": "the answers of this run are longer than",
}
"""What an answer does that is over each of them, to be followed by the name of the field."""


class Limits(Table):
    """The bounds on answers.

    `inflation` is decoded bytes for each encoded one; `kept_bytes` what all long answers together may take in
    the ledger, times the number of appliances.
    """

    body_bytes: StrictInt = Field(default=1 << 20, ge=1 << 10, le=1 << 26)
    inflation: StrictInt = Field(default=200, ge=1, le=2_000)
    headers: StrictInt = Field(default=100, ge=1, le=5_000)
    header_bytes: StrictInt = Field(default=1 << 15, ge=1 << 10, le=100 * 1_024)
    depth: StrictInt = Field(default=500, ge=1, le=500)
    members: StrictInt = Field(default=10_000, ge=1, le=10_000_000)
    kept_bytes: StrictInt = Field(default=1 << 23, ge=0)
    redirects: StrictInt = Field(default=5, ge=0, le=20)
    events: StrictInt = Field(default=1_000, ge=1)
    event_bytes: StrictInt = Field(default=1 << 16, ge=1)
    stream_bytes: StrictInt = Field(default=1 << 20, ge=1, le=1 << 26)


class Target(Table):
    """The server being judged; paths of the document begin after the path of `base_url` (line 142).

    With `trace`, each request to it carries an id of its own, by which its logs can be searched.
    """

    name: Label = Field(min_length=1)
    base_url: BaseUrl
    vendor: str = Field(default="Vendor", pattern=r"^[^./\s]+$")
    product: Label = ""
    trace: StrictBool = False


class OAuth2(Table):
    """Client credentials, or a refresh token (RFC 6749, 4.4 and 6); secrets come from the environment."""

    token_url: BaseUrl
    client_id: str
    client_secret: str = ""
    refresh_token: str = ""
    scope: str = ""


class Auth(Table):
    """How to authenticate (line 155: not shown): headers, and a bearer token that is granted or printed.

    The parameters of `query` stand in each address, for a server that wants a token there.
    `token_cmd` are the words of a command that prints the token; no shell reads them.
    """

    headers: dict[HeaderName, HeaderValue] = Field(default_factory=dict[HeaderName, HeaderValue])
    query: dict[str, str] = Field(default_factory=dict[str, str])
    oauth2: OAuth2 | None = None
    token_cmd: tuple[str, ...] = ()

    @property
    def is_renewable(self) -> bool:
        """Whether a token can be got anew where the target takes the old one no more."""
        return self.oauth2 is not None or bool(self.token_cmd)


class Http(Table):
    """The transport (lines 142, 163: not shown); `success` lists the statuses of answers with a value.

    The parameters of `query` stand in each address.
    """

    headers: dict[HeaderName, HeaderValue] = Field(
        default_factory=lambda: {"Accept": "application/json, */*;q=0.5"}
    )
    query: dict[str, str] = Field(default_factory=dict[str, str])
    timeout_s: StrictFloat = Field(default=30, gt=0, le=3600)
    follow_redirects: StrictBool = False
    verify: Trust = True
    client_cert: tuple[str, ...] = Field(default=(), max_length=3)
    http2: StrictBool = False
    success: Statuses = "200-299"
    not_supported: tuple[Refusal, ...] = ()
    unreachable: tuple[Refusal, ...] = ()
    limits: Limits = Limits()


class Write(Table):
    """How a setting is written (line 151: not shown). Nothing is written that `allow` does not name.

    `status_path` says where a write of a status is tried, which must have no effect (line 84); without it
    none is. With `prepare` an appliance is brought into the state that a procedure needs, and back, for
    `max_prepared_s` at a time; with `while_busy` it is also written to while a person or a program acts.
    """

    method: Literal["PUT", "POST", "PATCH"]
    path: str
    body: JsonValue
    media_type: HeaderValue = Field(default="application/json", pattern=r"^[^\s/]+/[^\s/]")
    allow: tuple[str, ...] = ()
    status_path: str | None = None
    prepare: StrictBool = True
    while_busy: StrictBool = False
    max_prepared_s: Seconds = 600


class Power(Table):
    """Whether writes the power table does not list may be tried (lines 127-133)."""

    probe_unlisted: StrictBool = False


class Judging(Table):
    """What a run must have judged to say that a target conforms.

    `most_open` is the share of the claimed cases that may stay undecided without a state of the appliance
    that explains it. Above it the run is inconclusive.
    """

    most_open: StrictFloat = Field(default=0.05, ge=0, le=1)


class Events(Table):
    """The event stream of an appliance (line 159: not shown)."""

    path: str = Field(pattern=r"^/")


class Hook(Table):
    """A request to a test bench, off the tree of the document: `path` is below base_url.

    In `body`, a lone `"{seconds}"`, `"{ha_id}"` or `"{inserted}"` becomes the JSON value.
    """

    path: str = Field(pattern=r"^/")
    method: Literal["POST", "PUT"] = "POST"
    body: JsonValue = None


class TouchHook(Hook):
    """Operates the appliance; LocalControlActive stays true for `holds_s` seconds at least."""

    holds_s: Seconds = 0


class Hooks(Table):
    """What a test bench can do that otherwise takes a person or a long time (lines 89, 90, 105, 138)."""

    advance: Hook | None = None
    touch: TouchHook | None = None
    dust_box: Hook | None = None


class Samples(Table):
    """Texts a write may use where the format is not shown (lines 60, 70)."""

    map_name: tuple[str, ...] = ()
    custom_color: tuple[str, ...] = ()


class Shard(Table):
    """One of the parts of a campaign that several processes or machines run; parts are counted from 1.

    `order` are the haIds of the whole campaign in their order, `units` those of this part, together where
    they are compared with each other. `nonces` seeds the words that all parts ask for though they do not
    exist.
    """

    index: StrictInt = Field(ge=1)
    count: StrictInt = Field(ge=1)
    order: tuple[str, ...]
    units: tuple[tuple[str, ...], ...]
    nonces: str

    def share_of(self, number: int) -> int:
        """The part of `number` requests that this shard may make; all shards together make no more."""
        return number // self.count + (self.index <= number % self.count)


class Fleet(Table):
    """Where further appliances are listed: a CSV or NDJSON file, and how many of each kind a run takes.

    `listed` counts by kind what a sample was taken of; a profile that a run has sampled says so by it.
    `shard` says that the appliances are a part of a campaign.
    """

    file: str = ""
    sample: StrictInt | None = Field(default=None, gt=0)
    seed: str = ""
    listed: dict[str, int] = Field(default_factory=dict[str, int])
    shard: Shard | None = None


class Template(Table):
    """What appliances have in common that name it; its fields are those of an appliance."""

    model_config = ConfigDict(extra="allow")

    name: str = Field(min_length=1)
