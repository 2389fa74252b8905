"""ADDR-UNKNOWNKEY, ADDR-HAID: names that nothing has yield no value (lines 8, 146, 147; I-9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.generated.foreign_values import require_own_appliance
from conformance.checks.generated.mutations import Relation, RequestPart
from conformance.checks.generated.probes import (
    Probe,
    gives_value,
    is_of_an_entry,
    length,
    names_entry,
    probes_of,
)
from conformance.checks.premise import require_trust
from conformance.checks.verdict import Deviation, Inconclusive
from conformance.checks.view import View
from conformance.checks.wording import quoted

_NAMELESS = {Relation.NOBODY, Relation.NEIGHBOUR}
_TWICE = 2


def assert_no_key_is_invented(_case: Case, seen: View) -> str:
    """A generated key that is in no table, and no other spelling of one that is, yields no value."""
    return _yields_nothing(seen, RequestPart.KEY, "a key that is in no table")


def assert_no_appliance_is_invented(_case: Case, seen: View) -> str:
    """A generated haId that names no appliance yields no value, and no request that of another appliance."""
    told = _yields_nothing(seen, RequestPart.HA_ID, "a haId that names no appliance")
    require_own_appliance(seen)
    return told


def _yields_nothing(seen: View, part: RequestPart, what: str) -> str:
    require_trust(seen)
    probes = [probe for probe in probes_of(seen) if probe.part is part and probe.relation in _NAMELESS]
    if not probes:
        raise Inconclusive(f"{what} was not asked for in this run")
    seen.look_at(*(probe.first for probe in probes))
    doubt: Probe | None = None
    for probe in sorted(probes, key=length):
        served = _served(seen, probe)
        if len(served) >= _TWICE:
            raise Deviation(
                f"{what} gives a value: {probe.words} is answered {quoted(served[0].value)}",
                served[0],
                beside=served[1:],
            )
        doubt = doubt or (probe if served else None)
    if doubt:
        raise Inconclusive(f"{what} gave a value once, and none the second time: {doubt.words}", doubt.first)
    refused = sum(probe.first.is_refusal for probe in probes)
    if not refused:
        raise Inconclusive(f"{what} was answered {probes[0].first.words}", probes[0].first)
    return f"{len(probes)} requests, no value: {_tally(probes)}"


def _served(seen: View, probe: Probe) -> list[Answer]:
    """The answers with a value of an entry; of a name that may be the server's own, those that name one."""
    served = [
        answer for answer in probe.asked if gives_value(answer) and is_of_an_entry(seen, probe.entry, answer)
    ]
    if probe.relation is Relation.NEIGHBOUR:
        return [answer for answer in served if names_entry(seen, answer)]
    return served


def _tally(probes: Sequence[Probe]) -> str:
    sorts = Counter(probe.first.sort for probe in probes)
    return ", ".join(f"{sort} {count}" for sort, count in sorted(sorts.items()))
