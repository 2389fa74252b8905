"""What a pasted line shows itself with: secrets become variables, the rest stands in the profile as it is.

Whatever may be a secret is taken for one. Its value is only ever held in the environment of this process; a
profile names the variable. What a browser sends of its own accord is left out.
"""

import base64
import re
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from conformance.pasted.address import Address
from conformance.pasted.curl_line import VARIABLE, CurlLine, filled, filled_where_set
from conformance.profiles.from_arguments import is_harmless
from conformance.profiles.keeping import SHORTEST
from conformance.profiles.sections import Http

TOKEN = "APPLIANCE_TOKEN"  # noqa: S105  the name of a variable
_SCHEME = re.compile(r"(?P<scheme>[A-Za-z][\w-]*) +(?P<secret>\S.*)")
_LEFT_OUT = re.compile(
    r"accept-(encoding|language|charset)|cache-control|connection|content-(length|type)|dnt|expect|host|if-.*"
    r"|keep-alive|origin|pragma|priority|proxy-connection|range|referer|sec-.*|te|trailer|transfer-encoding"
    r"|upgrade|upgrade-insecure-requests|user-agent",
    re.IGNORECASE,
)
"""Headers of a browser, of a connection, of a body, and those with which an answer may be empty."""
_OF_SECRETS = re.compile(r"token|key|auth|secret|sig|session|password|code", re.IGNORECASE)
"""What is in the names of headers and parameters that hold secrets."""


class Credentials(Struct, frozen=True):
    """What a profile says of them, and the secrets by the variables that it names.

    Attributes:
        tables: the tables `auth` and `http` of a profile.
        secrets: the value of each variable that this run sets.
        sources: where each of them stands in the line, in words.
        left_out: what is not used, in words.
    """

    tables: dict[str, dict[str, Any]]
    secrets: dict[str, str]
    sources: dict[str, str]
    left_out: tuple[str, ...]


class _Taking:
    """Takes what may be a secret out of texts, each under a name of its own."""

    def __init__(self) -> None:
        self.secrets: dict[str, str] = {}
        self.sources: dict[str, str] = {}

    def take(self, secret: str, name: str, source: str) -> str:
        """What stands for a secret in a profile: the variable in it, or a new one.

        Raises:
            PastedError: when it names a variable that is not set.
        """
        if VARIABLE.fullmatch(secret):
            filled(secret)
            return VARIABLE.sub(r"${\1}", secret)
        number = 2
        free = name
        while self.secrets.get(free, secret) != secret:
            free, number = f"{name}_{number}", number + 1
        self.secrets[free], self.sources[free] = secret, source
        return f"${{{free}}}"


def credentials_of(line: CurlLine, address: Address) -> Credentials:
    """What a line shows itself with.

    Raises:
        PastedError: when it names a variable that is not set.
    """
    taking = _Taking()
    secret: dict[str, str] = {}
    plain: dict[str, str] = {}
    left_out = [f"--{name}" for name in line.left_out]
    host = _host(urlsplit(address.base_url).netloc)
    for name, value in line.headers:
        if name.casefold() == "host" and _host(value) != host:
            left_out.append("the header Host, since a run names the host of the address")
        if _LEFT_OUT.fullmatch(name) or (name.casefold() == "accept" and "json" not in value):
            continue
        shown = filled_where_set(value)
        is_short = len(shown) < SHORTEST and not VARIABLE.fullmatch(value)
        if is_harmless(name) or (is_short and not _OF_SECRETS.search(name)):
            plain[name] = shown
        elif is_short:
            left_out.append(f"the header {name}, which is too short to be masked")
        else:
            secret[name] = _shown(taking, name, value)
    if user := line.user or address.user:
        name, colon, password = user.partition(":")
        parts = (filled(part) if VARIABLE.fullmatch(part) else part for part in (name, password))
        login = base64.b64encode(colon.join(parts).encode()).decode()
        variable = taking.take(login, "APPLIANCE_LOGIN", "name:password in base64")
        secret["Authorization"] = f"Basic {variable}"
    auth: dict[str, Any] = {"headers": secret} if secret else {}
    http: dict[str, Any] = {"headers": {**Http().headers, **plain}} if plain else {}
    hidden, open_to_see = _parameters(taking, address, left_out)
    auth |= {"query": hidden} if hidden else {}
    http |= {"query": open_to_see} if open_to_see else {}
    if line.insecure or line.verify:
        http["verify"] = line.verify or False
    if line.follows:
        http["follow_redirects"] = True
    if line.client_cert:
        http["client_cert"] = list(line.client_cert)
    return Credentials(
        {name: table for name, table in (("auth", auth), ("http", http)) if table},
        taking.secrets,
        taking.sources,
        tuple(left_out),
    )


def _host(text: str) -> str:
    """A host without its port; a pasted header may hold anything."""
    return re.sub(r":\d*$", "", text.casefold())


def _shown(taking: _Taking, name: str, value: str) -> str:
    """The value of a header with a variable in place of its secret."""
    if name.casefold() == "authorization":
        found = _SCHEME.fullmatch(value)
        scheme, secret = (f"{found['scheme']} ", found["secret"]) if found else ("", value)
        return scheme + taking.take(_filled(secret), TOKEN, f"what follows '{name}: {scheme}' in the line")
    return taking.take(_filled(value), _variable(name), f"the header {name} of the line")


def _filled(secret: str) -> str:
    """What a header holds; one that is nothing but a variable stays, since the profile can name that."""
    return secret if VARIABLE.fullmatch(secret) else filled_where_set(secret)


def _parameters(
    taking: _Taking, address: Address, left_out: list[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """The parameters of the address: those that may be secrets, and all others."""
    secret: dict[str, str] = {}
    plain: dict[str, str] = {}
    for name, value in address.query:
        if len(value) >= SHORTEST or VARIABLE.fullmatch(value):
            is_token = _OF_SECRETS.search(name) and TOKEN not in taking.secrets
            variable = TOKEN if is_token else _variable(name)
            secret[name] = taking.take(value, variable, f"the parameter {name} of the address")
        elif _OF_SECRETS.search(name):
            left_out.append(f"the parameter {name}, which is too short to be masked")
        else:
            plain[name] = value
    return secret, plain


def _variable(name: str) -> str:
    return f"APPLIANCE_{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_').upper()}"
