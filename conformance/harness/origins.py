"""Where a Location header leads, and whether headers with secrets may go there too."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit


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
