"""Times of a run in the forms other formats want; in the results they are RFC 3339.

A file from elsewhere may hold anything there: what is no time gives none, and no rendering fails for it.
"""

from __future__ import annotations

from datetime import UTC, datetime


def instant(text: str) -> datetime | None:
    """The moment an RFC 3339 text names, in UTC; one without an offset is taken for UTC, None is no moment."""
    try:
        moment = datetime.fromisoformat(text)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def milliseconds(text: str) -> int:
    """Milliseconds since 1970, 0 where the text is no moment."""
    moment = instant(text)
    return round(moment.timestamp() * 1000) if moment else 0


def seconds_between(start: str, end: str) -> float:
    """Seconds from one moment to the other, 0 where that cannot be known."""
    return max(0.0, (milliseconds(end) - milliseconds(start)) / 1000) if instant(start) and instant(end) else 0.0
