"""Answers that ask to retry later: 429, and 503 with Retry-After (the class THROTTLE)."""

from __future__ import annotations

import email.utils
from datetime import UTC, datetime

from conformance.checks.exchange import Response

_RETRY_AFTER = "retry-after"


def is_throttled(response: Response | None) -> bool:
    """Whether an answer asks to come again later."""
    return response is not None and (
        response.status == 429 or (response.status == 503 and response.header(_RETRY_AFTER) is not None)
    )


def retry_after_s(response: Response) -> float:
    """How many seconds a throttled answer asks to wait; one where Retry-After says nothing."""
    text = (response.header(_RETRY_AFTER) or "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        then = email.utils.parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return 1
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - datetime.now(UTC)).total_seconds())
