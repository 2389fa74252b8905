"""What a pytest item attaches for the report, and how it travels on the item's reports.

A test attaches plain `user_properties` (`PROPERTIES`; `evidence` and `proof` are lists of numbers, `sights`
plain dictionaries). All travel as one dictionary on the report, which pytest-xdist carries from worker to
controller. Five stay in `user_properties`, for whoever asks pytest itself for a report (`--junitxml`); the
files of a run are made from the results.

The verdict is read from the property, never guessed from a text. Where the outcome of the test contradicts
it, the worse counts: a test that fails without the verdict `fail` has crashed.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import asdict, fields
from sys import intern
from typing import Any, Final, cast

import pytest

from conformance.checks.verdict import Verdict
from reports.results.model import CaseResult, DecidingExchange, Omitted
from reports.results.verdicts import is_verdict

_FIELDS: Final = tuple(field.name for field in fields(CaseResult))
PROPERTIES: Final = ("case", "field", *(name for name in _FIELDS if name not in {"id", "waived"}))
_TEXTS: Final = ("kind", "document", "manner", "curl", "earlier", "exempt")
KEPT: Final = ("clause", "key", "kind", "ha_id", "verdict")
_ATTRIBUTE: Final = "appliance_conformance"
_OMITTED: Final = "appliance_conformance_omitted"


def case_from_report(
    report: pytest.TestReport, error: BaseException | None, before: CaseResult | None = None
) -> CaseResult | None:
    """The case a report decides, or None when its item attaches no case or this phase decides nothing.

    Args:
        report: Setup when it does not pass, the call, or a teardown that fails.
        error: The exception that ended the phase.
        before: The case as the call left it; a teardown that fails turns it into an error.
    """
    attached = _read(report.user_properties)
    if (
        attached is None
        or omitted_in(report)
        or (report.when != "call" and (report.passed or (report.when == "teardown" and not report.failed)))
    ):
        return None
    said = verdict if is_verdict(verdict := attached.get("verdict")) else None
    message = str(attached.get("message", ""))
    verdict = _against_outcome(said, report)
    if report.when == "teardown":
        verdict, message = "error", _after(before, _last_line(error))
    elif verdict == "error" and said != "error":
        message = _last_line(error)
    elif not message and error is not None:
        message = str(error)
    # many cases say the same: half a million of them hold each text once
    texts: dict[str, Any] = {name: intern(str(attached.get(name) or "")) for name in _TEXTS}
    return CaseResult(
        id=str(attached["case"]),
        clause=str(attached.get("clause") or str(attached["case"]).partition("::")[0]),
        key=str(attached.get("key", "*")),
        ha_id=str(attached.get("ha_id", "*")),
        verdict=verdict,
        message=intern(next((line.strip() for line in message.splitlines() if line.strip()), "")),
        evidence=_numbers(attached.get("evidence")),
        sights=_sights(attached.get("sights")),
        proof=_numbers(attached.get("proof")),
        claimed=bool(attached.get("claimed", False)),
        **texts,
    )


def take_omitted(report: pytest.TestReport) -> None:
    """Puts on the report why its item was not judged, where that was known only after reading."""
    attached = _read(report.user_properties)
    if attached and attached.get("field") and report.skipped:
        members = ("clause", "key", "ha_id", "message", "field")
        report.__dict__[_OMITTED] = [str(attached[name]) for name in members]


def omitted_in(report: pytest.TestReport | pytest.CollectReport) -> Omitted | None:
    """What a report says was not judged; None for the report of a case."""
    carried = cast("list[str] | None", report.__dict__.get(_OMITTED))
    return None if carried is None else Omitted(*carried)


def attach(report: pytest.TestReport, case: CaseResult, position: int) -> None:
    """Puts the case and its place in the collection on the report."""
    carried = {name: getattr(case, name) for name in _FIELDS}
    carried["sights"] = [asdict(sight) for sight in case.sights]
    report.__dict__[_ATTRIBUTE] = (position, carried)


def keep_in_properties(report: pytest.TestReport, case: CaseResult | None) -> None:
    """Leaves in `user_properties` what other plugins of pytest show; `case` has the settled verdict."""
    others = [(name, value) for name, value in report.user_properties if name not in PROPERTIES]
    if case is not None:
        others += [(name, getattr(case, name)) for name in KEPT]
    report.user_properties = others


def attached_case(report: pytest.TestReport | pytest.CollectReport) -> tuple[int, CaseResult] | None:
    """The position and the case a report carries, or None."""
    attached = cast("tuple[int, dict[str, Any]] | None", report.__dict__.get(_ATTRIBUTE))
    if attached is None:
        return None
    position, carried = attached
    members: dict[str, Any] = carried | {"sights": _sights(carried["sights"])}
    return position, CaseResult(**members)


def _read(properties: Iterable[tuple[str, object]]) -> dict[str, object] | None:
    attached = {name: value for name, value in properties if name in PROPERTIES}
    return attached if "case" in attached else None


def _sights(value: object) -> tuple[DecidingExchange, ...]:
    return tuple(DecidingExchange(**sight) for sight in cast("Iterable[dict[str, Any]]", value or ()))


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(int(number) for number in cast("Iterable[int]", value or ()))


def _against_outcome(said: Verdict | None, report: pytest.TestReport) -> Verdict:
    """The verdict that a test attached, made worse where its outcome contradicts it."""
    if report.failed:
        return "fail" if said == "fail" else "error"
    if report.skipped:
        return said if said is not None and said != "pass" else "inconclusive"
    return said or "pass"


def _last_line(error: BaseException | None) -> str:
    if error is None:
        return "the test ended without a verdict"
    last = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1].strip()
    name = type(error).__name__
    return last if name in last else f"{name}: {last}"


def _after(before: CaseResult | None, crash: str) -> str:
    was = f" (its verdict had been {before.verdict}: {before.message or 'no message'})" if before else ""
    return f"after the test: {crash}{was}"
