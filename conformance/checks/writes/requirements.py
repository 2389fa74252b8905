"""What must hold before writes are made and judged: the key is served, can be set, and no state closes it."""

from catalog.keys import short_name
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import PREPARE, Group
from conformance.checks.premise import require_trust
from conformance.checks.reads.support import resolve, without_value
from conformance.checks.traces.trace import Attempt, attempts, opening
from conformance.checks.verdict import Inconclusive, Judgement, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.model.json_values import quoted, same
from conformance.model.states import ExemptingState, hindering_states
from conformance.model.values import fits


def require_served(seen: View, key: str, *groups: Group) -> Answer:
    """A read of `key` with a value, of the procedures or the shared one.

    Raises:
        NotApplicable: when the appliance does not have it.
        Inconclusive: when it could not be read.
    """
    require_trust(seen)
    asked = reads_of(seen, key, *groups)
    if not asked:
        raise Inconclusive(f"{short_name(key)} was not asked in this run")
    served = next((answer for answer in asked if answer.has_value), None)
    if served:
        return served
    raise without_value(resolve(seen, seen.catalog.entries[key], asked[-1]))


def reads_of(seen: View, key: str, *groups: Group) -> list[Answer]:
    """The reads of a key of the appliance in some procedures, and the shared one."""
    made = (answer for group in groups for answer in seen.group(group) if not answer.is_write)
    found = [read for read in made if (read.ha_id, read.key) == (seen.appliance.ha_id, key)]
    shared = seen.read(key)
    return [*found, shared] if shared else found


def require_settable(seen: View, key: str, *groups: Group) -> Answer:
    """Like `require_served`, and not advertised as read-only.

    Raises:
        NotApplicable: when it is, or when the appliance does not have it.
        Inconclusive: when it could not be read.
    """
    read = require_served(seen, key, *groups)
    if read.shown.is_read_only:
        words = quoted(read.shown.access_words)
        raise NotApplicable(f"{short_name(key)} is advertised as read-only: access is {words}", read)
    return read


def require_written(seen: View, key: str, *groups: Group) -> list[Attempt]:
    """The writes of a setting in some procedures, which it takes.

    Raises:
        Judgement: when it takes none, or none was made.
    """
    require_settable(seen, key, *groups)
    if tried := attempts(seen, *groups, key=key):
        return tried
    raise unwritten(seen, key, *groups)


def unwritten(seen: View, key: str, *groups: Group) -> Judgement:
    """Why a procedure wrote no other value to `key` that it is known to take."""
    reads = opening(seen, *groups)
    if not reads:
        return Inconclusive("not written in this run")
    then = with_reads(seen, reads)
    for state in hindering_states(then, key):
        return Inconclusive(f"not written while {state}", state=state)
    entry = seen.catalog.entries[key]
    own = [answer for answer in reads if answer.key == key and answer.has_value]
    values = seen.values(key, *own)
    found, subset = values.bounds, values.offered
    if (entry.is_numeric and found and found[0] == found[1]) or (subset is not None and len(subset) <= 1):
        return NotApplicable("only one value is allowed")
    if entry.type == "String":
        return Inconclusive(
            "not written: no sample of a text is declared (appliance.samples), as its format is not shown"
        )
    if own and (reason := not_to_be_put_back(seen, entry, own[-1])):
        return Inconclusive(reason, own[-1])
    return Inconclusive("no other value was written that the key is known to take")


def not_to_be_put_back(seen: View, entry: Entry, found: Answer) -> str:
    """Why a setting is not written that was found at a value which it need not take; else empty."""
    values = seen.values(entry.key, found)
    if values.admits(found.value):
        return ""
    own = values.bounds if fits(entry, found.value) else None
    outside = f", outside its range {own[0]:g} to {own[1]:g}" if own else ""
    return f"not written: found at {quoted(found.value)}{outside}, which could not be put back"


def tried_to_end(seen: View, state: ExemptingState) -> str:
    """What was written to end a state that stood all the same, and what came of it; empty without that."""
    tried = attempts(seen, PREPARE, key=state.controller)
    if not tried or same(tried[-1].last(), tried[-1].value):
        return ""
    last, name = tried[-1], short_name(state.controller)
    read = last.last_read()
    return (
        f"to end that, {quoted(last.value)} was written to {name}, {last.words},"
        f" then {quoted(read.value) if read else 'it could not be read'}"
    )
