"""Claimed cases that an exempting state kept open: with them a certificate holds on a condition.

An appliance that is off, locked or operated by somebody cannot be asked everything it claims. Such a case stays inconclusive
and is listed with the state (X1 to X13), and a certificate does not fail for it: it says under which condition it was given.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from reports.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.records import CaseResult

_STATE: Final = re.compile(r"X(?:[1-9]|1[0-3])")


def is_open(case: CaseResult) -> bool:
    """Whether a case is claimed and inconclusive, so that a certificate misses it."""
    return case.claimed and case.verdict == "inconclusive" and not case.waived


def is_conditional(case: CaseResult) -> bool:
    """Whether a case that a certificate misses is open through one of the thirteen states; any other word exempts nothing."""
    return is_open(case) and _STATE.fullmatch(case.exempt) is not None


def conditional_cases(cases: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """The cases a certificate depends on, in their order."""
    return tuple(case for case in cases if is_conditional(case))


def condition(cases: Iterable[CaseResult]) -> str:
    """The condition in a line, as `conditional: 3 claimed cases inconclusive through X1, X4`; empty when there is none."""
    depends = conditional_cases(cases)
    if not depends:
        return ""
    states = sorted({case.exempt for case in depends}, key=lambda state: int(state[1:]))
    return f"conditional: {plural(len(depends), 'claimed case')} inconclusive through {', '.join(states)}"
