"""Claimed cases that an exempting state left inconclusive: a certificate then holds on a condition.

An appliance that is off, locked or operated by somebody cannot be asked everything it claims. Such a case is
listed with the state (X1 to X13); it does not prevent a certificate but makes it conditional.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from reports.results.model import CaseResult
from reports.texts import plural

STATES: Final = {
    "X1": "the ambient light has its custom color (line 68)",
    "X2": "the ambient light has a preset color (line 70)",
    "X3": "the color temperature is not custom (line 65)",
    "X4": "the appliance is not on",
    "X5": "a mode holds the setpoint (lines 50, 52, 53)",
    "X6": "remote control is not active, or somebody operates the appliance (lines 88, 90)",
    "X7": "the Sabbath mode is on (line 51)",
    "X8": "the light is off",
    "X9": "a cooling mode is on",
    "X10": "a program is active",
    "X11": "the alarm clock is running",
    "X12": "the map is not stored",
    "X13": "the child lock is on",
}
"""The states that lift a clause, in words; without a line it is a caution of the suite."""


def is_open(case: CaseResult) -> bool:
    """Whether a case is claimed and was not decided."""
    return case.claimed and case.verdict == "inconclusive" and not case.waived


def is_conditional(case: CaseResult) -> bool:
    """Whether a claimed case was left undecided by one of the thirteen exempting states."""
    return is_open(case) and case.exempt in STATES


def conditional_cases(cases: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """The cases a certificate depends on, in their order."""
    return tuple(case for case in cases if is_conditional(case))


def condition(cases: Iterable[CaseResult]) -> str:
    """The condition, as `conditional: 3 claimed cases inconclusive because of X1`; or empty."""
    depends = conditional_cases(cases)
    if not depends:
        return ""
    states = sorted({case.exempt for case in depends}, key=lambda state: int(state[1:]))
    return f"conditional: {plural(len(depends), 'claimed case')} inconclusive because of {', '.join(states)}"
