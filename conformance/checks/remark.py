"""What a run knows beside exchanges: an event that was heard, an operator's word, a write that was not made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pydantic import JsonValue


@dataclass(frozen=True, slots=True)
class Remark:
    """A line of the ledger without a request. `group` is the procedure it was noted in, `note` what is known, as plain JSON."""

    purpose: Literal["event", "operator", "write", "hook"]
    group: str
    ha_id: str
    key: str
    note: dict[str, JsonValue]
