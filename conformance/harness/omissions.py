"""Which cases a run does not make, and what would change that; known before anything is sent.

What the run can tell only after it has read is not here: which keys the sample of repeated reads leaves out.
"""

from functools import partial

from catalog.model import Level, Segment
from conformance.checks.case import Case
from conformance.checks.permission import UNDECLARED, Omission, below, reaches, text_undeclared
from conformance.checks.writes.unsupported_power import unprobed
from conformance.harness.writes.procedures.registry import procedure_of
from conformance.profiles.model import Appliance, Interpretation, Profile
from conformance.profiles.sections import Pointers

_EITHER_SEGMENT: tuple[Segment, ...] = ("settings", "status")
_READINGS = {
    "ADDR-HAID": "I-9",
    "ADDR-UNKNOWNKEY": "I-9",
    "COOL-VACATION-FREEZER": "I-4",
    "PATH-AGREE": "I-8",
    "PWR-NO-FOREIGN": "I-10",
    "RANGE-COUNT": "I-6",
    "RANGE-WRITE-BOUNDS": "I-1",
    "TYPE-NOTNULL": "I-7",
    "UNIT-LIQ-DEFAULT": "I-2",
    "UNIT-TEMP-DEFAULT": "I-2",
}
"""Clauses that rest on one reading of the document; where it is switched off, nothing is demanded."""
_SWITCHES = {field.alias: name for name, field in Interpretation.model_fields.items()}
_BOUNDS = ("min", "max")
_POINTERS = {
    "ADDR-KEY-LAST": ("key",),
    "CAT-FIELD-DESC": ("description",),
    "CAT-FIELD-TYPE": ("type",),
    "ENUM-ADVERTISED": ("allowed",),
    "RANGE-PERAPP-VALUE": _BOUNDS,
    "RANGE-PERAPP-WELLFORMED": _BOUNDS,
    "UNIT-HOTWATER": ("unit",),
    "UNIT-LIQ-DEFAULT": ("unit",),
    "UNIT-PERCENT": ("unit",),
    "UNIT-SECONDS": ("unit",),
    "UNIT-TEMP-APPLIES": ("unit",),
    "UNIT-TEMP-DEFAULT": ("unit",),
}
"""What must be declared of a body before a clause can be judged; names of body fields are not shown (line
25).
"""
_ANY_POINTER = {"CAT-FIELD-POSSIBLE": ("allowed", *_BOUNDS), "RANGE-COMMON-ADVERTISED": _BOUNDS}
"""The same, where one of them is enough."""
_WITHIN_A_RANGE = frozenset({"RANGE-WRITE-BOUNDS", "RANGE-WRITE-OUT"})
_OF_TEXTS = frozenset(
    {"SET-WRITABLE", "SET-ONLY-TARGET", "ADDR-HAID-ISOLATION", "AMB-CUSTOM-ONLY", "AMB-CUSTOM-SETTABLE"}
)
"""Clauses that a String is judged by only where a text to write is declared (lines 60, 70)."""
_OF_APPLIANCE = _OF_TEXTS | {"OPT-CAMERA", "PWR-UNSUPPORTED", "SELF-LOCALCONTROL"}
"""Clauses that a field of the appliance decides about."""
_OF_TIME = frozenset({"SELF-LOCALEVENT", "SELF-RCSA-24H"})
"""Clauses that reading alone says nothing of, though they demand no more than that."""


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
        or _of_field(case)
        or (_of_appliance(case, level) if case.clause.id in _OF_APPLIANCE else None)
    )


def _of_level(case: Case, level: Level) -> Omission | None:
    """What the level forbids, or the declaration of writing and the write list."""
    clause = case.clause
    if clause.id in _OF_TIME and not reaches(level, "attended"):
        return below("attended")
    if clause.level == "attended":  # reading judges that in part
        return None
    if not reaches(level, clause.level):
        return below(clause.level)
    if not reaches(clause.level, "write"):
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
    if not case.generated:
        return None
    if case.groups:
        return (
            None
            if case.profile.generated_writes
            else Omission("no value is generated", "pace.generated_writes")
        )
    return (
        None if case.profile.generated_reads else Omission("no request is generated", "pace.generated_reads")
    )


def _of_reading(case: Case) -> Omission | None:
    name = _READINGS.get(case.clause.id)
    if name is None or getattr(case.profile.interpretation, _SWITCHES[name]):
        return None
    return Omission(f"interpretation {name} is switched off", f"interpretation.{name}")


def _of_pointers(case: Case) -> Omission | None:
    """Why the bodies cannot be looked into as the clause needs."""
    clause, entry = case.clause.id, case.entry
    own_range = clause in _WITHIN_A_RANGE and entry is not None and entry.range is None
    needed = _BOUNDS if own_range else _POINTERS.get(clause, ())
    one_of = _ANY_POINTER.get(clause, ())
    if not needed and not one_of:
        return None
    segments = entry.segments if entry else _EITHER_SEGMENT
    for pointers in map(case.profile.answer.under, segments):
        declares = partial(_declares, pointers)
        if all(map(declares, needed)) and (not one_of or any(map(declares, one_of))):
            return None
    fields = ", ".join(f"answer.{name}" for name in needed or one_of)
    return Omission("its place in the body is not declared", fields)


def _declares(pointers: Pointers, name: str) -> bool:
    return isinstance(getattr(pointers, name), str)


def _of_field(case: Case) -> Omission | None:
    """A field of the target that one clause alone needs."""
    clause, profile = case.clause.id, case.profile
    if clause == "ADDR-OTHERSEG" and not profile.paths.probe_other_segment:
        return Omission(
            "keys that nobody claims are not tried under another segment", "paths.probe_other_segment"
        )
    if clause in {"PWR-OFF-STANDBY", "PWR-SELF"} and not profile.power.probe_unlisted:
        return Omission("writes that the power table does not list are not tried", "power.probe_unlisted")
    if clause == "PROT-LIST" and not (profile.list.settings or profile.list.status):
        return Omission("no list is declared", "list")
    if clause == "SELF-LOCALEVENT" and profile.events is None:
        return Omission("no event stream is declared", "events")
    if clause == "SELF-RCSA-24H" and profile.hooks.advance is None:
        return Omission("nothing lets a day pass", "hooks.advance")
    return None


def _of_power_states(profile: Profile, own: Appliance, level: Level) -> Omission | None:
    """Where no power state is declared, the one that is found tells nothing: others have to be written."""
    if own.power_states is not None:
        return None
    return unprobed(profile) or (None if reaches(level, "power") else below("power"))


def _of_appliance(case: Case, level: Level) -> Omission | None:
    """A field of the appliance that one clause alone needs."""
    clause, entry = case.clause.id, case.entry
    own = next((appliance for appliance in case.profile.appliance if appliance.ha_id == case.ha_id), None)
    if own is None or entry is None:
        return None
    if clause == "OPT-CAMERA" and own.streaming_camera is None:
        return Omission("whether it has a streaming camera is not declared", "appliance.streaming_camera")
    if clause == "PWR-UNSUPPORTED" and (unknown := _of_power_states(case.profile, own, level)):
        return unknown
    if case.claim == "no":  # what the appliance is said to lack, the other fields change nothing of
        return None
    undeclared = text_undeclared(own, entry) if clause in _OF_TEXTS else None
    if clause == "SELF-LOCALCONTROL" and not own.unattended and not reaches(level, "attended"):
        return Omission(
            "nobody operates the appliance, and it is not declared unattended", "appliance.unattended"
        )
    return undeclared
