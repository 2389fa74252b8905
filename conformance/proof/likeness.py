"""The profile by which a mutant is judged in the place of a user's target: it says what both profiles say.

The truth about the mutant says where its answers hold what, how it is written to and what it supports. Of
that, a run is told only what the profile of the user says of the own target as well, and may do no more than
that profile lets it do. Waits are those of the mutant, whose time is not that of the user's target.
"""

from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from math import ceil
from typing import Any, TypeAlias, cast

from catalog.model import Clause
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Profile
from conformance.profiles.sections import Pointers

Counterparts: TypeAlias = Mapping[str, Appliance]
"""The appliance of the user that each appliance of a mutant stands for, by the haId of the latter."""
Truth: TypeAlias = Mapping[str, Any]
"""What the truthful profile of a mutant says, as plain data."""

_GENERATED = ("generated", "generated_reads", "generated_writes")
_MOST_ALIKE = 2
"""Appliances of one make that are enough: no mutant has more that are compared with each other."""


def makes_of(profile: Profile) -> tuple[Appliance, ...]:
    """The appliances of a profile without those of which there are enough that are declared alike.

    They are not alike where another waiver names them.
    """
    alike: dict[tuple[str, tuple[str, ...]], list[Appliance]] = {}
    for own in profile.appliance:
        if not own.alias_of:
            said = own.model_dump_json(exclude={"ha_id", "vendor"})
            alike.setdefault((said, _waivers_of(profile, own)), []).append(own)
    return tuple(own for group in alike.values() for own in group[:_MOST_ALIKE])


def _waivers_of(profile: Profile, own: Appliance) -> tuple[str, ...]:
    """The waivers that name an appliance, and not just every one."""
    globs = (waiver.case for waiver in profile.waiver)
    return tuple(glob for glob in globs if fnmatchcase(own.ha_id, glob.rpartition("@")[2]))


def is_waived(waived: Iterable[str], own: Appliance, case: str) -> bool:
    """Whether a waiver excuses a case of an appliance of the user, `CLAUSE::key`."""
    return any(fnmatchcase(f"{case}@{own.ha_id}", glob) for glob in waived)


def counterparts(profile: Profile, truth: Truth, clause: Clause) -> Counterparts:
    """Which appliance of the user each appliance of a mutant stands for, if it claims a key of it.

    One of the same kind comes first, then the one that claims most of its keys, then one that fewer waivers
    name; none stands for two. What is wrong with power states concerns appliances that have these alone.
    """
    rows: list[dict[str, Any]] = truth["appliance"]
    scored = [
        (own.kind == row["kind"], shared, -len(_waivers_of(profile, own)), -number, row["ha_id"], own)
        for number, row in enumerate(rows)
        for own in profile.appliance
        if (shared := sum(own.claim(key) == "yes" for key in row.get("supports", ())))
        and (clause.level != "power" or _has_states_of(own, row))
    ]
    found: dict[str, Appliance] = {}
    for *_, ha_id, own in sorted(scored, key=lambda one: one[:4], reverse=True):
        if ha_id not in found and all(own is not other for other in found.values()):
            found[ha_id] = own
    return found


def _has_states_of(own: Appliance, row: Truth) -> bool:
    """Whether an appliance may have the power states of that of a mutant, as far as both are declared."""
    states = row.get("power_states")
    return own.power_states is None or states is None or set(own.power_states) == set(states)


def concerns(own: Appliance, row: Truth, key: str) -> bool:
    """Whether what a mutant does with a key could be a fault of its counterpart: both have it, or neither."""
    return (key in row.get("supports", ())) is (own.claim(key) == "yes")


def likened(profile: Profile, truth: Truth, pairs: Counterparts) -> dict[str, object]:
    """What a run of a mutant is told, in the shape of a profile file."""
    write, hooks, pace = (truth.get(name, {}) for name in ("write", "hooks", "pace"))
    both = profile.paths.probe_other_segment and truth.get("paths", {}).get("probe_other_segment", False)
    unlisted = profile.power.probe_unlisted and truth.get("power", {}).get("probe_unlisted", False)
    told: dict[str, object] = {
        "target": truth["target"],
        "answer": _answer(profile, truth["answer"]),
        "list": {name: told for name, told in truth["list"].items() if getattr(profile.list, name)},
        "hooks": {name: told for name, told in hooks.items() if getattr(profile.hooks, name)},
        "pace": {name: min(getattr(profile, name), pace.get(name, 0)) for name in _GENERATED},
        "timing": {**truth["timing"], **_repeating(profile, truth, pairs)},
        "paths": {"probe_other_segment": both, "battery_drift": profile.paths.battery_drift},
        "power": {"probe_unlisted": unlisted},
        "interpretation": profile.interpretation.model_dump(by_alias=True),
        "appliance": [
            _appliance(pairs[row["ha_id"]], row) for row in truth["appliance"] if row["ha_id"] in pairs
        ],
    }
    if profile.max_refusals_in_a_row is not None:
        cast("dict[str, object]", told["pace"])["max_refusals_in_a_row"] = profile.max_refusals_in_a_row
    if profile.events:
        told["events"] = truth["events"]
    if profile.write:
        own = profile.write.model_dump(include={"allow", "prepare", "while_busy", "max_prepared_s"})
        status_path = write["status_path"] if profile.write.status_path else None
        told["write"] = {**write, **own, "status_path": status_path}
    return told


def _answer(profile: Profile, truth: Truth) -> dict[str, object]:
    """The places of an answer of the mutant that the profile declares of the own answers."""
    own: dict[str, object] = dict(_declared(profile.answer, truth))
    if "status" in truth or profile.answer.status:
        return {**own, "status": dict(_declared(profile.answer.under("status"), truth.get("status", truth)))}
    return own


def _declared(pointers: Pointers, truth: Truth) -> Iterator[tuple[str, str]]:
    declared = (name for name in Pointers.model_fields if getattr(pointers, name) is not None)
    return ((name, truth[name]) for name in declared if name in truth)


def _repeating(profile: Profile, truth: Truth, pairs: Counterparts) -> dict[str, object]:
    """How often is tried, and how many keys are read again and again: as large a share of them as there."""
    told: dict[str, object] = {"most_tries": profile.timing.most_tries}
    sample = profile.repeat_sample
    if sample is not None:
        here = sum(len(row["supports"]) for row in truth["appliance"] if row["ha_id"] in pairs)
        there = sum(own.claim(key) == "yes" for own in pairs.values() for key in claimed_keys(own))
        told["repeat_sample"] = ceil(sample * min(1.0, here / max(1, there)))
    return told


def _appliance(own: Appliance, row: Truth) -> dict[str, object]:
    """An appliance of a mutant, of which no more is declared than of its counterpart."""
    told: dict[str, object] = {name: row[name] for name in ("ha_id", "kind", "vendor") if name in row}
    told["supports"] = [key for key in row["supports"] if own.claim(key) == "yes"]
    told["lacks"] = [key for key in row["lacks"] if own.claim(key) == "no"]
    told["unattended"] = own.unattended
    for name in ("power_states", "streaming_camera", "online"):
        if getattr(own, name) is not None and name in row:
            told[name] = row[name]
    told["writable"] = [key for key in row.get("writable", ()) if own.is_writable(key)]
    subsets = row.get("enum_subset", {})
    told["enum_subset"] = {key: subset for key, subset in subsets.items() if key in own.enum_subset}
    samples = row.get("samples", {})
    told["samples"] = {name: texts for name, texts in samples.items() if getattr(own.samples, name)}
    return told
