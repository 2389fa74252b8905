"""How much of an answer a run reads and keeps: the table `[http.limits]`.

Each bound is far above what an appliance needs and far below what would harm the machine that the suite runs
on. What is over one is read in part and recorded as such; a case that rests on it is inconclusive and names
the field that raises the bound.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from conformance.profiles.fields import Table

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
    the ledger.
    """

    body_bytes: int = Field(default=1 << 20, ge=1 << 10, le=1 << 26)
    inflation: int = Field(default=200, ge=1, le=2_000)
    headers: int = Field(default=100, ge=1, le=5_000)
    header_bytes: int = Field(default=1 << 15, ge=1 << 10, le=100 * 1_024)
    depth: int = Field(default=500, ge=1, le=500)
    members: int = Field(default=10_000, ge=1, le=10_000_000)
    kept_bytes: int = Field(default=1 << 22, ge=0)
    redirects: int = Field(default=5, ge=0, le=20)
    events: int = Field(default=1_000, ge=1)
    event_bytes: int = Field(default=1 << 16, ge=1)
    stream_bytes: int = Field(default=1 << 20, ge=1, le=1 << 26)
