"""Which cases a run does not make, and what would change that; known before anything is sent.

What the run can tell only after it has read is not here: which keys the sample of repeated reads leaves out.
"""

from collections.abc import Callable
from typing import Final

from catalog.model import Level, ProfileField, Segment
from conformance.checks.case import UNDECLARED, Case, Omission, below, not_asked, reaches, text_undeclared
from conformance.checks.groups import Sends
from conformance.checks.writes.power import unprobed
from conformance.harness.writes.procedures.registry import procedure_of
from conformance.profiles.model import Appliance, Interpretation, Profile

_EITHER_SEGMENT: tuple[Segment, ...] = ("settings", "status")
_SWITCHES = {field.alias: name for name, field in Interpretation.model_fields.items()}


def omission_of(case: Case, level: Level) -> Omission | None:
    """Why a run of `level` does not make a case; None where it does.

    A case about a kind that the target lacks is always made: that it is not applicable is said of the target.
    """
    if case.is_of_absent_kind:
        return None
    return (
        _of_level(case, level)
        or _of_generated(case)
        or _of_reading(case)
        or _of_pointers(case)
        or _of_target(case)
        or _of_appliance(case, level)
    )


def _of_level(case: Case, level: Level) -> Omission | None:
    """What the level forbids, or the declaration of writing and the write list."""
    clause = case.clause
    if clause.needs == _UNATTENDED:  # where nobody operates the appliance, reading judges that in part
        return None
    if level == "seen":
        is_shown = (clause.level == level or clause.in_traces) and not case.generated
        return None if is_shown else not_asked("read" if case.generated else clause.level)
    if not reaches(level, clause.level):
        return below(clause.level)
    if not clause.needs_writes:
        return None
    if case.profile.write is None:
        return UNDECLARED
    return _of_procedures(case, level)


def _of_procedures(case: Case, level: Level) -> Omission | None:
    """Why a procedure is not made; one that is generated rests on whichever of them may be made."""
    omissions = [procedure_of(group).why_not(case.profile, level) for group in case.groups]
    if case.generated and not all(omissions):
        return None
    return next(filter(None, omissions), None)


def _of_generated(case: Case) -> Omission | None:
    profile = case.profile
    most, what, field = (
        (profile.generated_writes, "value", "pace.generated_writes")
        if case.groups
        else (profile.generated_reads, "request", "pace.generated_reads")
    )
    return Omission(f"no {what} is generated", field) if case.generated and not most else None


def _of_reading(case: Case) -> Omission | None:
    name = case.clause.reading
    if not name or getattr(case.profile.interpretation, _SWITCHES[name]):
        return None
    return Omission(f"interpretation {name} is switched off", f"interpretation.{name}")


def _of_pointers(case: Case) -> Omission | None:
    """Why the bodies cannot be looked into as the clause needs."""
    clause, entry = case.clause, case.entry
    is_unlimited = entry is not None and entry.range is None
    needed = clause.shows + (clause.shows_unless_common if is_unlimited else ())
    one_of = clause.shows_one_of
    if not needed and not one_of:
        return None
    segments = entry.segments if entry else _EITHER_SEGMENT
    for pointers in map(case.profile.answer.under, segments):
        declared = {name for name in (*needed, *one_of) if isinstance(getattr(pointers, name), str)}
        if declared.issuperset(needed) and (not one_of or not declared.isdisjoint(one_of)):
            return None
    fields = ", ".join(f"answer.{name}" for name in needed or one_of)
    return Omission("its place in the body is not declared", fields)


def _of_target(case: Case) -> Omission | None:
    """A field of the target that the clause needs."""
    field = case.clause.needs
    if field not in _OF_TARGET:
        return None
    is_declared, otherwise = _OF_TARGET[field]
    return None if is_declared(case.profile) else Omission(otherwise, field)


def _of_appliance(case: Case, level: Level) -> Omission | None:
    """A field of the appliance that the clause needs, or what is written for it."""
    entry, lacking = case.entry, _OF_APPLIANCE.get(case.clause.needs)
    is_text = (  # which texts it takes is declared (lines 60, 70), unless it is said to lack the setting
        entry is not None
        and entry.type == "String"
        and case.claim != "no"
        and any(group.kind.sends is Sends.WRITES_ALLOWED for group in case.groups)
        and level != "seen"
    )
    if entry is None or not (lacking or is_text):
        return None
    own = next((appliance for appliance in case.profile.appliance if appliance.ha_id == case.ha_id), None)
    if own is None:
        return None
    return (lacking(case, own, level) if lacking else None) or (
        text_undeclared(own, entry) if is_text else None
    )


def _of_camera(_case: Case, own: Appliance, _level: Level) -> Omission | None:
    if own.streaming_camera is not None:
        return None
    return Omission("whether it has a streaming camera is not declared", "appliance.streaming_camera")


def _of_power_states(case: Case, own: Appliance, level: Level) -> Omission | None:
    """Where no power state is declared, the one that is found tells nothing: others have to be written."""
    if own.power_states is not None:
        return None
    return unprobed(case.profile) or (None if reaches(level, "power") else below("power"))


def _of_hands(case: Case, own: Appliance, level: Level) -> Omission | None:
    if case.claim == "no" or own.unattended or reaches(level, "attended"):
        return None
    return Omission("nobody operates the appliance, and it is not declared unattended", _UNATTENDED)


_OF_TARGET: dict[ProfileField, tuple[Callable[[Profile], object], str]] = {
    "paths.probe_other_segment": (
        lambda profile: profile.paths.probe_other_segment,
        "keys that nobody claims are not tried under another segment",
    ),
    "power.probe_unlisted": (
        lambda profile: profile.power.probe_unlisted,
        "writes that the power table does not list are not tried",
    ),
    "list": (lambda profile: profile.list.settings or profile.list.status, "no list is declared"),
    "events": (lambda profile: profile.events, "no event stream is declared"),
    "hooks.advance": (lambda profile: profile.hooks.advance, "nothing lets a day pass"),
}
"""Fields of the target that a clause may need: whether one is declared, and what is not done otherwise."""
_UNATTENDED: Final = "appliance.unattended"
_OF_APPLIANCE: dict[ProfileField, Callable[[Case, Appliance, Level], Omission | None]] = {
    "appliance.streaming_camera": _of_camera,
    "appliance.power_states": _of_power_states,
    _UNATTENDED: _of_hands,
}
"""Fields of the appliance that a clause may need."""
