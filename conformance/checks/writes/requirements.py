"""What must hold before writes are made and judged: the key is served, can be set, and no state closes it.

A clause that forbids an effect passes only beside an allowed write that was seen to work: a server that
refuses or drops every write keeps each forbidden value out as well, and shows nothing of it.
"""

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import islice

from msgspec.structs import replace

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import UNLISTED, text_undeclared
from conformance.checks.groups import (
    AMBIENT,
    HOOD,
    ORDERS,
    PREPARE,
    Group,
    ProcedureKind,
    edge_group,
    guard_group,
    in_each_state,
    isolation_group,
    setting_group,
)
from conformance.checks.premise import require_trust
from conformance.checks.reads.support import resolve, without_value
from conformance.checks.traces.expecting import Evaluation, Expecting, evaluation_of
from conformance.checks.traces.trace import Attempt, attempts, opening, writes_in
from conformance.checks.verdict import Inconclusive, Judgement, NotApplicable, NotTried
from conformance.checks.view import View, with_reads
from conformance.checks.writes.expected.own_key import another_value
from conformance.model.couplings import KEEPING_ALL, MODES, is_light
from conformance.model.json_values import quoted, same
from conformance.model.states import ExemptingState, hindering_states
from conformance.model.values import fits
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Claim, Profile


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
    raise without_value(resolve(seen, CATALOG.entries[key], asked[-1]))


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
    entry = CATALOG.entries[key]
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


_OF_SEVERAL = (PREPARE, AMBIENT, HOOD, *ORDERS)
"""The procedures that write several settings."""
_MOST_BESIDE = 3


def require_working_write(seen: View, key: str, expects: Expecting = another_value) -> None:
    """Requires that an allowed write of a setting had its effect on this appliance in this run.

    `expects` says which writes do for that: those of a key that a state locks, in the state that frees it.

    Raises:
        NotTried: when no value to write is declared, and the format of its values is not shown.
        NotApplicable: when the setting is advertised as read-only, or has one value alone.
        Inconclusive: when no such write was seen to work.
    """
    if reason := _why_none_works(seen, key, expects):
        raise reason


def require_any_working_write(seen: View) -> None:
    """Requires that an allowed write of some setting had its effect on this appliance in this run.

    Raises:
        NotTried: when no setting may be written.
        NotApplicable: when the appliance has no setting that can be written.
        Inconclusive: when no such write was seen to work.
    """
    reasons: list[Judgement] = []
    for key in seen.learned.settings:
        reason = _why_none_works(seen, key, another_value)
        if reason is None:
            return
        reasons.append(reason)
    hidden = set(seen.tried).difference(seen.learned.settings)
    claimed = any(".Setting." in key and seen.claim(key) == "yes" for key in hidden)
    if not claimed and all(isinstance(one, NotApplicable) for one in reasons):
        raise NotApplicable("the appliance has no setting that can be written beside it")
    if not any(seen.profile.may_write(key) for key in seen.tried if ".Setting." in key):
        raise NotTried(UNLISTED)
    doubts = [one for one in reasons if isinstance(one, Inconclusive)]
    state = next((one.state for one in doubts if one.state), None)
    while_in = f" while {state}" if state else ""
    raise Inconclusive(f"no write of any setting was seen to work{while_in}", state=state)


def _why_none_works(seen: View, key: str, expects: Expecting) -> Judgement | None:
    """Why no allowed write of a setting was seen to work; None where one was, which the case rests on."""
    tried = list(_evaluated(seen, key, expects))
    held = next((one for one in tried if one.result == "holds"), None)
    if held:
        seen.look_at(held.attempt.answer, held.shown)
        return None
    nothing = f"no write of {short_name(key)} was seen to work"
    omission = text_undeclared(seen.appliance, CATALOG.entries[key])
    chosen = [one for one in tried if not (omission and _is_generated(one))]
    if chosen:
        last = next((one for one in reversed(chosen) if one.state), chosen[-1])
        return Inconclusive(f"{nothing}: {last.words}", last.shown, state=last.state)
    try:
        require_settable(seen, key, setting_group(key), *in_each_state(guard_group(key)))
    except Judgement as closed:
        return closed.with_traceback(None)  # its frames hold it: only the garbage collector would free them
    if omission:
        return NotTried(omission)
    reason = unwritten(seen, key, setting_group(key))
    reason.finding = f"{nothing}: {reason.finding}"
    return reason


def _is_generated(one: Evaluation) -> bool:
    """Whether a value that was written was generated, not chosen from what the appliance is known to take."""
    group = one.attempt.answer.exchange.group
    return group is not None and group.kind is ProcedureKind.EDGE


def beside_setting(_profile: Profile, _appliance: Appliance, key: str) -> tuple[Group, ...]:
    """The procedure that writes allowed values to a setting."""
    return (setting_group(key),)


def beside_status(profile: Profile, appliance: Appliance, _key: str) -> tuple[Group, ...]:
    """The procedures that write allowed values to a few settings: of what is claimed, else to any."""
    tried = _least_moving_first(claimed_keys(appliance))

    def written(claim: Claim) -> Iterator[Entry]:
        own = (entry for entry in tried if appliance.claim(entry.key) == claim)
        return (one for one in own if profile.may_write(one.key) and not text_undeclared(appliance, one))

    few = list(islice(written("yes"), _MOST_BESIDE)) or written("unknown")
    return tuple(setting_group(entry.key) for entry in few)


@lru_cache(maxsize=512)  # every status of an appliance asks for the same
def _least_moving_first(tried: tuple[str, ...]) -> tuple[Entry, ...]:
    """The settings among some keys; first what is switched without moving a light, a mode or a number.

    What protects people, and the power state, come last.
    """

    def moves(entry: Entry) -> tuple[bool, ...]:
        key = entry.key
        return key in KEEPING_ALL, entry.type != "Boolean", key in MODES, is_light(key)

    return tuple(sorted((CATALOG.entries[key] for key in tried if ".Setting." in key), key=moves))


def allowed_writes(seen: View) -> Iterator[Evaluation]:
    """What each write of an allowed value to a setting came to, in the order of the procedures."""
    for group in seen.groups:
        yield from _of_procedure(seen, group, another_value)


def _evaluated(seen: View, key: str, expects: Expecting) -> Iterator[Evaluation]:
    """What the allowed writes of a setting came to, whatever they were made for."""
    for group in (setting_group(key), isolation_group(key), edge_group(key), *_OF_SEVERAL):
        for each in (group, replace(group, alone=True)):
            yield from _of_procedure(seen, each, expects, key)


def _of_procedure(seen: View, group: Group, expects: Expecting, key: str = "") -> Iterator[Evaluation]:
    """What the allowed writes of one procedure to this appliance came to: those of a key, or of all."""
    for attempt in writes_in(seen, seen.made_in(group)):
        if key in {"", attempt.key}:
            told = partial(evaluation_of, expecting=expects, attempt=attempt)
            if found := seen.once((group, expects, attempt.answer.n), told):
                yield found
