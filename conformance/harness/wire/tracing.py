"""The id of a request in the header `traceparent` (W3C Trace Context), by which a target's logs name it."""

import secrets
from typing import Final

TRACEPARENT: Final = "traceparent"


def new_traceparent() -> str:
    """A trace of its own for a request, marked as sampled, so that the target keeps it.

    Its ids are never drawn from the seed of a run: two runs of one seed must not share a trace.
    """
    return f"00-{secrets.token_hex(16)}-{secrets.token_hex(8)}-01"
