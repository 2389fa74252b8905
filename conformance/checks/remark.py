"""What a run knows beside exchanges: events, an operator's word, writes, ends of tries, searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from conformance.checks.groups import Group

Noted = Literal["event", "operator", "write", "hook", "tries", "made", "search"]
"""What a line without a request is about."""


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of the ledger without a request: `note` is what is known, as plain JSON.

    `group` is the procedure that it was noted in, of the appliance `ha_id`.
    """

    purpose: Noted
    group: Group
    ha_id: str
    key: str
    note: dict[str, JsonValue]

    @property
    def refusal(self) -> str:
        """Why the run made no write for the group; empty for a remark about anything else."""
        return str(self.note["refused"]) if self.purpose == "write" else ""
