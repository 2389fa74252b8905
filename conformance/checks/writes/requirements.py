"""What must hold before the writes of a key are judged: it is served, can be set, and was written."""

from __future__ import annotations

from typing import cast

from conformance.checks.answer import NOTHING, Answer
from conformance.checks.exchange import WRITES
from conformance.checks.groups import Group
from conformance.checks.premise import require_trust
from conformance.checks.reads.states import write_exempting_state
from conformance.checks.reads.support import resolve, without_value
from conformance.checks.traces.trace import opening
from conformance.checks.verdict import Inconclusive, Judgement, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.checks.wording import quoted
from conformance.checks.writes.effects import bounds_of, offered


def require_served(seen: View, key: str, *groups: Group) -> Answer:
    """A read of `key` with a value, of the procedures or the shared one.

    Raises:
        NotApplicable: when the appliance does not have it.
        Inconclusive: when it could not be read.
    """
    require_trust(seen)
    found = [answer for group in groups for answer in seen.group(group) if _is_read_of(seen, answer, key)]
    shared = seen.read(key)
    asked = [*found, *([shared] if shared else [])]
    if not asked:
        raise Inconclusive(f"{key.rpartition('.')[2]} was not asked in this run")
    served = next((answer for answer in asked if answer.has_value), None)
    if served:
        return served
    raise without_value(resolve(seen, seen.catalog.entries[key], asked[-1]))


def _is_read_of(seen: View, answer: Answer, key: str) -> bool:
    exchange = answer.exchange
    return (exchange.ha_id, exchange.key) == (seen.appliance.ha_id, key) and exchange.purpose not in WRITES


def require_settable(seen: View, key: str, *groups: Group) -> Answer:
    """Like `require_served`, and not advertised as read-only.

    Raises:
        NotApplicable: when it is, or when the appliance does not have it.
        Inconclusive: when it could not be read.
    """
    read = require_served(seen, key, *groups)
    access = read.shown.access if read.shown else NOTHING
    if isinstance(access, str | list) and access and "write" not in str(cast("object", access)).casefold():
        raise NotApplicable(
            f"{key.rpartition('.')[2]} is advertised as read-only: access is"
            f" {quoted(cast('object', access))}",
            read,
        )
    return read


def unwritten(seen: View, key: str, *groups: Group) -> Judgement:
    """Why a procedure that was to write `key` did not."""
    reads = opening(seen, *groups)
    if not reads:
        return Inconclusive("not written in this run")
    then = with_reads(seen, reads)
    state = write_exempting_state(then, key)
    if state:
        return Inconclusive(f"not written while {state}", state=state)
    entry = seen.catalog.entries[key]
    own = [answer for answer in reads if answer.exchange.key == key and answer.has_value]
    found, subset = bounds_of(entry, *own), offered(seen, entry, *own)
    if (entry.is_numeric and found and found[0] == found[1]) or (subset is not None and len(subset) <= 1):
        return NotApplicable("only one value is allowed")
    if entry.type == "String":
        return Inconclusive(
            "not written: no sample of a text is declared (appliance.samples), as its format is not shown"
        )
    return Inconclusive("not written: no other value is known that the key would take")
