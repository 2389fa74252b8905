"""Somebody else who writes to an appliance while a run does: what follows a write is then no effect of it."""

from pydantic import JsonValue

from catalog.keys import short_name
from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.groups import WATCH
from conformance.checks.view import View
from conformance.model.json_values import quoted


def moved_by_others(before: object, now: Answer) -> Remark:
    """What is noted where a setting moved, and not by what the run wrote."""
    at = now.exchange.at[11:19]
    note: dict[str, JsonValue] = {"from": quoted(before), "to": quoted(now.value), "at": f"{at} UTC"}
    return Remark("others", WATCH, now.ha_id, now.key, note)


def words_of(remark: Remark) -> str:
    """What such a note means, as a sentence."""
    note, what = remark.note, f"{short_name(remark.key)} of {remark.ha_id}"
    moved = f"{what} went from {note['from']} to {note['to']}, which this run did not do"
    return f"{moved} ({note['at']}): somebody else writes to it, perhaps another run; nothing more is written"


def others_in(seen: View) -> str:
    """Who else wrote to an appliance in this run, as that was seen; empty where nobody was seen to."""
    return next((words_of(one) for one in seen.remarks.get(WATCH, ()) if one.purpose == "others"), "")
