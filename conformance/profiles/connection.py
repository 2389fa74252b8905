"""How one talks to a target: where it is, who one is there, and the transport.

The document shows none of it (lines 142, 155, 163); times are seconds.
"""

from pydantic import Field

from conformance.profiles.fields import BaseUrl, HeaderName, Statuses, Table
from conformance.profiles.sections import Limits, Refusal


class Target(Table):
    """The server being judged; paths of the document begin after the path of `base_url` (line 142).

    With `trace`, each request to it carries an id of its own, by which its logs can be searched.
    """

    name: str = Field(min_length=1)
    base_url: BaseUrl
    vendor: str = Field(default="Vendor", pattern=r"^[^./\s]+$")
    product: str = ""
    trace: bool = False


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

    headers: dict[HeaderName, str] = Field(default_factory=dict[HeaderName, str])
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

    headers: dict[HeaderName, str] = Field(default_factory=lambda: {"Accept": "application/json, */*;q=0.5"})
    query: dict[str, str] = Field(default_factory=dict[str, str])
    timeout_s: float = Field(default=30, gt=0, le=3600)
    follow_redirects: bool = False
    verify: bool | str = True
    client_cert: tuple[str, ...] = Field(default=(), max_length=3)
    http2: bool = False
    success: Statuses = "200-299"
    not_supported: tuple[Refusal, ...] = ()
    unreachable: tuple[Refusal, ...] = ()
    limits: Limits = Limits()
