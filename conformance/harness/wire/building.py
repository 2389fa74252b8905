"""Builds requests, each once: most are made again, and building one takes longer than its answer."""

from collections.abc import Mapping
from functools import lru_cache
from urllib.parse import urlencode

from conformance.harness.errors import TransportError
from conformance.harness.wire.bodies import ACCEPTED
from conformance.harness.wire.client import httpx

OF_ALL = {"Accept": "*/*", "Accept-Encoding": ACCEPTED, "Connection": "keep-alive"}
"""The headers that every request has, unless the profile says another."""
_REQUESTS = 4_096


def build_request(  # noqa: PLR0913, PLR0917  all that a request is made of
    method: str,
    url: str,
    common: tuple[tuple[str, str], ...],
    own: tuple[tuple[str, str], ...],
    body: str | None,
    timeout: httpx.Timeout | float,
) -> httpx.Request:
    """A request with the headers of all requests and its own, which take the place of those of their name.

    Raises:
        httpx.InvalidURL: when it has no URL.
    """
    headers = httpx.Headers(common)
    headers.update(own)
    extensions = {"timeout": httpx.Timeout(timeout).as_dict()}
    return httpx.Request(method, url, headers=headers, content=body, extensions=extensions)


def with_query(address: str, parameters: Mapping[str, str]) -> str:
    """An address with more parameters, after those that it has."""
    if not parameters:
        return address
    return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters)}"


kept_request = lru_cache(_REQUESTS)(build_request)
"""The same, built once."""


def shown_once(request: httpx.Request) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The URL of a request and its headers."""
    return str(request.url), tuple(request.headers.multi_items())


shown = lru_cache(_REQUESTS)(shown_once)
"""The same, of a request that is made again."""


def require_sendable(headers: Mapping[str, str]) -> None:
    """Raises for a header value that HTTP cannot carry; its text is not repeated, since it may be a secret.

    Raises:
        TransportError: when there is one.
    """
    for name, value in headers.items():
        if value != value.strip() or not value.replace("\t", " ").isprintable():
            what = "begins or ends with a space or line end, or holds a control character"
            raise TransportError(f"the header {name} {what}: HTTP cannot carry it")
