"""Builds requests, each once: most are made again, and building one takes longer than its answer.

A redirect asks for another one; headers with secrets go to no other origin. A request may carry an id in the
header `traceparent` (W3C Trace Context), by which a target's logs name it.
"""

import secrets
from collections.abc import Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import urlencode, urljoin, urlsplit

from conformance.harness.wire.bodies import ACCEPTED
from conformance.harness.wire.client import httpx

OF_ALL = {"Accept": "*/*", "Accept-Encoding": ACCEPTED, "Connection": "keep-alive"}
"""The headers that every request has, unless the profile says another."""
TRACEPARENT: Final = "traceparent"
_REQUESTS = 4_096
_KEEPS_METHOD = {
    301: ("PUT", "PATCH"),
    302: (),
    303: (),
    307: ("PUT", "PATCH", "POST"),
    308: ("PUT", "PATCH", "POST"),
}
"""The redirects, each with the methods of writes that it does not turn into a GET (RFC 9110, section 15.4).
"""
_LONGEST_URL = 2_048


@lru_cache(_REQUESTS)
def build_request(  # noqa: PLR0913, PLR0917  all that a request is made of
    method: str,
    url: str,
    common: tuple[tuple[str, str], ...],
    own: tuple[tuple[str, str], ...],
    body: str | None,
    timeout_s: float,
    silence_s: float | None = None,
) -> httpx.Request:
    """A request with the headers of all requests and its own, which take the place of those of their name.

    `silence_s` is how long nothing may come, where that is longer than anything else may take.

    Raises:
        httpx.InvalidURL: when it has no URL.
    """
    headers = httpx.Headers(common)
    headers.update(own)
    extensions = {"timeout": httpx.Timeout(timeout_s, read=silence_s or timeout_s).as_dict()}
    return httpx.Request(method, url, headers=headers, content=body, extensions=extensions)


def with_query(address: str, parameters: Mapping[str, str]) -> str:
    """An address with more parameters, after those that it has."""
    if not parameters:
        return address
    return f"{address}{'&' if '?' in address else '?'}{urlencode(parameters)}"


@lru_cache(_REQUESTS)
def shown(request: httpx.Request) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The URL of a request and its headers."""
    return str(request.url), tuple(request.headers.multi_items())


def new_traceparent() -> str:
    """A trace of its own for a request, marked as sampled, so that the target keeps it.

    Its ids are never drawn from the seed of a run: two runs of one seed must not share a trace.
    """
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"


def redirected(response: httpx.Response, request: httpx.Request) -> httpx.Request | None:
    """The request that a redirect asks for, where it is the same one at another address of the same origin.

    A write is not followed to where it would be another request: a 303 asks for a GET.

    Raises:
        httpx.InvalidURL: when its Location is no URL.
    """
    methods = _KEEPS_METHOD.get(response.status_code)
    if methods is None or request.method not in ("GET", *methods) or "location" not in response.headers:
        return None
    url = resolved(str(request.url), response.headers["location"])
    if len(url) > _LONGEST_URL or not same_origin(url, str(request.url)):
        return None
    return httpx.Request(
        request.method, url, headers=request.headers, content=request.read(), extensions=request.extensions
    )


def resolved(url: str, location: str) -> str:
    """The URL that `location` means in an answer from `url`; empty for a location that is none."""
    try:
        return urljoin(url, location)
    except ValueError:
        return ""


def same_origin(one: str, other: str) -> bool:
    """Whether two URLs share scheme, host and port, so that headers with secrets may go to both."""
    first = _origin(one)
    return first is not None and first == _origin(other)


def _origin(url: str) -> tuple[str, str | None, int | None] | None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    return parts.scheme, parts.hostname, port
