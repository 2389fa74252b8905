"""Where a Location header leads, and whether headers with secrets may go there too."""

from urllib.parse import urljoin, urlsplit

from conformance.harness.wire.client import httpx

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


def redirected(response: httpx.Response, request: httpx.Request) -> httpx.Request | None:
    """The request that a redirect asks for, where it is the same one at another address of the same origin.

    A write is not followed to where it would be another request: a 303 asks for a GET.

    Raises:
        httpx.InvalidURL: when its Location is no URL.
    """
    location = response.headers.get("location")
    methods = _KEEPS_METHOD.get(response.status_code)
    if location is None or methods is None or request.method not in ("GET", *methods):
        return None
    url = resolved(str(request.url), location)
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
