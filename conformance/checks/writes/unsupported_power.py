"""PWR-UNSUPPORTED: an appliance does not go into a power state that it does not support (lines 130, 131).

Which ones it supports the profile declares; where it does not, the list of its own answer says so.
"""

from catalog.keys import POWER_STATE, short_name
from conformance.checks.case import Case
from conformance.checks.groups import WALK
from conformance.checks.permission import UNDECLARED, UNLISTED, Omission, below
from conformance.checks.traces.evaluating import TIMES, Evaluation, verdict_on
from conformance.checks.traces.quiet import quiet_seconds
from conformance.checks.traces.trace import Attempt, attempts
from conformance.checks.verdict import Deviation, NotApplicable, NotTried
from conformance.checks.view import View
from conformance.checks.writes.effects import watched_for
from conformance.checks.writes.power import require_power, require_start
from conformance.checks.writes.working import require_working_write
from conformance.model.json_values import NOTHING, quoted, same
from conformance.profiles.model import Profile

_UNPROBED = Omission("power states that the appliance does not support are not tried", "power.probe_unlisted")
_UNKNOWN = Omission("which power states it supports is not declared", "appliance.power_states")


def unprobed(profile: Profile) -> Omission | None:
    """Why no unsupported state is written, whatever the level; None where one is."""
    if not profile.power.probe_unlisted:
        return _UNPROBED
    if profile.write is None:
        return UNDECLARED
    return None if profile.may_write(POWER_STATE) else UNLISTED


def unsupported_states(seen: View) -> frozenset[str]:
    """The power states that the appliance does not support, as on the wire; none where nothing says which.

    They are told by the profile, else by the list that the answer advertises; ENUM-ADVERTISED judges one in
    which it is found without being listed.
    """
    shown, members = seen.read(POWER_STATE), frozenset(seen.values(POWER_STATE).members)
    told = seen.values(POWER_STATE, *([shown] if shown and shown.has_value else ())).offered
    if not told:
        return frozenset()
    is_declared = seen.appliance.power_states is not None
    found = frozenset(value for value in members if not is_declared and same(value, seen.value(POWER_STATE)))
    return members.difference(told, found)


def assert_not_reached(case: Case, seen: View) -> str | None:
    """It is not found in a state that is not declared, and a write of an unsupported one has no effect."""
    require_power(case, seen, settable=False)
    unsupported, found = unsupported_states(seen), seen.read(POWER_STATE)
    declared = seen.appliance.power_states
    if found and declared is not None and any(same(found.value, state) for state in unsupported):
        raise Deviation(
            f"PowerState is {quoted(found.value)}, and the appliance supports {', '.join(declared)} alone"
            " (appliance.power_states)",
            found,
        )
    require_power(case, seen)
    if not unsupported:
        known = seen.values(case.key, *([found] if found else ())).offered
        if known:
            raise NotApplicable("it supports every power state of the document")
        raise NotTried(_UNKNOWN)
    if omission := unprobed(seen.profile):
        raise NotTried(omission)
    if not seen.made_in(WALK):
        raise NotTried(below("power"))
    made = [one for attempt in attempts(seen, WALK) if (one := evaluate_unsupported(seen, attempt))]
    if not made:
        require_start(seen)
    document = '"only if the appliance supports it"'
    held = verdict_on(
        seen, made, WALK, times=1, otherwise="no unsupported state was written from On", document=document
    )
    require_working_write(seen, POWER_STATE)
    return held


def evaluate_unsupported(seen: View, attempt: Attempt) -> Evaluation | None:
    """What a write of an unsupported power state from On says; None for any other write."""
    is_concerned = attempt.key == POWER_STATE and attempt.value in unsupported_states(seen)
    if not is_concerned or short_name(attempt.old()) != "On":
        return None
    state, reads = short_name(attempt.value), attempt.reads()
    wrote = f"wrote {state}, which the appliance does not support, from On, {attempt.words}"
    shown = [read for read in reads if read.has_value and same(read.value, attempt.value)]
    if shown:
        words = f"{wrote}, and {len(shown)} reads give {quoted(attempt.value)}"
        return Evaluation("contradicts" if len(shown) >= TIMES else "undecided", words, attempt)
    if attempt.last() is NOTHING:
        words = "could not be read" if reads else "was not read"
        return Evaluation("undecided", f"{wrote}; then PowerState {words}", attempt)
    told = f"{wrote}, PowerState is {quoted(attempt.last())} after {watched_for(attempt)}"
    settled = attempt.is_settled(quiet_seconds(seen, attempt))
    return Evaluation("holds" if settled else "undecided", told, attempt)
