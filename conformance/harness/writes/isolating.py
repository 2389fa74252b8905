"""Compares appliances with each other (ADDR-HAID-ISOLATION), each while nothing is written to another one."""

from collections.abc import Iterable, Mapping

from catalog.keys import POWER_STATE
from catalog.model import Catalog
from conformance.checks.case import Case
from conformance.checks.groups import ProcedureKind
from conformance.checks.verdict import Deviation, Judgement
from conformance.checks.view import View
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.sharing import isolated
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.model.couplings import is_coupled


def compared_first(procedures: Iterable[WriteProcedure], catalog: Catalog) -> list[list[WriteProcedure]]:
    """What compares an appliance before anything else is written: first what moves nothing else of it."""
    parts: list[list[WriteProcedure]] = [[], []]
    for one in procedures:
        if one.kind is ProcedureKind.ISOLATION and one.group.subject != POWER_STATE:
            parts[is_coupled(catalog, one.group.subject)].append(one)
    return parts


def compared_last(procedures: Iterable[WriteProcedure]) -> list[WriteProcedure]:
    """What compares its power state, when all else was written: it may not come back."""
    own = (one for one in procedures if one.kind is ProcedureKind.ISOLATION)
    return [one for one in own if one.group.subject == POWER_STATE]


def shared_by(cases: Iterable[Case], views: Mapping[str, View]) -> dict[str, str]:
    """Why some appliances are not written to any further, by haId.

    Cases show that one takes what is written to another: nothing would tell what came of which write.
    """
    found: dict[str, str] = {}
    for case in cases:
        if any(group.kind is ProcedureKind.ISOLATION for group in case.groups):
            try:
                judge_writes(isolated)(case, views[case.ha_id])
            except Deviation as shown:
                other = shown.answer.exchange.ha_id if shown.answer else ""
                for one, beside in (case.ha_id, other), (other, case.ha_id):
                    found.setdefault(one, f"it shares settings with {beside} ({case.clause.id})")
            except Judgement:  # nothing is known to be shared
                continue
    return found
