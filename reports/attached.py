"""What a pytest item attaches for the report, and how it travels on the item's reports.

A test attaches plain `user_properties`: `case`, `clause`, `key`, `kind`, `ha_id`, `verdict`, `message`, `document`, `evidence` and
`proof` (lists of numbers), `sights` (plain dictionaries), `manner`, `curl`, `earlier`, `claimed`, `exempt`, `field`. All travel as one
plain dictionary on the report, which pytest-xdist carries from worker to controller. Five stay in `user_properties`, for whoever
asks pytest itself for a report (`--junitxml`); the files of a run are made from the results.

The verdict is read from the property, never guessed from a text. Where the outcome of the test
contradicts it, the worse of the two counts: a test that fails without the verdict `fail` has crashed.
"""

from __future__ import annotations

import traceback
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, cast

from reports.records import CaseResult, Omitted, Sight
from reports.verdicts import Verdict, is_verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest

PROPERTIES: Final = (
    "case",
    "clause",
    "key",
    "kind",
    "ha_id",
    "verdict",
    "message",
    "document",
    "evidence",
    "sights",
    "manner",
    "proof",
    "curl",
    "earlier",
    "claimed",
    "exempt",
    "field",
)
KEPT: Final = ("clause", "key", "kind", "ha_id", "verdict")
_ATTRIBUTE: Final = "appliance_conformance"
_OMITTED: Final = "appliance_conformance_omitted"


def settle(report: pytest.TestReport, error: BaseException | None, before: CaseResult | None = None) -> CaseResult | None:
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
    claimed_verdict = attached.get("verdict")
    said = claimed_verdict if is_verdict(claimed_verdict) else None
    message = str(attached.get("message", ""))
    verdict = _against_outcome(said, report)
    if report.when == "teardown":
        verdict, message = "error", _after(before, _last_line(error))
    elif verdict == "error" and said != "error":
        message = _last_line(error)
    elif not message and error is not None:
        message = str(error)
    return CaseResult(
        id=str(attached["case"]),
        clause=str(attached.get("clause") or str(attached["case"]).partition("::")[0]),
        key=str(attached.get("key", "*")),
        kind=str(attached.get("kind", "")),
        ha_id=str(attached.get("ha_id", "*")),
        verdict=verdict,
        message=next((line.strip() for line in message.splitlines() if line.strip()), ""),
        document=str(attached.get("document", "")),
        evidence=_numbers(attached.get("evidence")),
        sights=_sights(attached.get("sights")),
        manner=str(attached.get("manner") or ""),
        proof=_numbers(attached.get("proof")),
        curl=str(attached.get("curl", "")),
        earlier=str(attached.get("earlier", "")),
        claimed=bool(attached.get("claimed", False)),
        exempt=str(attached.get("exempt") or ""),
    )


def take_omitted(report: pytest.TestReport) -> None:
    """Puts on the report what its item was not judged for, where the run found that out only when it had read."""
    attached = _read(report.user_properties)
    if attached and attached.get("field") and report.skipped:
        report.__dict__[_OMITTED] = [str(attached[name]) for name in ("clause", "key", "ha_id", "message", "field")]


def omitted_in(report: pytest.TestReport | pytest.CollectReport) -> Omitted | None:
    """What a report says was not judged; None for the report of a case."""
    carried = cast("list[str] | None", report.__dict__.get(_OMITTED))
    return None if carried is None else Omitted(*carried)


def attach(report: pytest.TestReport, case: CaseResult, position: int) -> None:
    """Puts the case and its place in the collection on the report."""
    report.__dict__[_ATTRIBUTE] = {
        "position": position,
        **{name: getattr(case, name) for name in CaseResult.__slots__},
        "evidence": list(case.evidence),
        "proof": list(case.proof),
        "sights": [asdict(sight) for sight in case.sights],
    }


def keep_in_properties(report: pytest.TestReport, case: CaseResult | None) -> None:
    """Leaves in `user_properties` what other plugins of pytest show; `case` has the settled verdict."""
    others = [(name, value) for name, value in report.user_properties if name not in PROPERTIES]
    if case is not None:
        others += [(name, getattr(case, name)) for name in KEPT]
    report.user_properties = others


def attached_case(report: pytest.TestReport | pytest.CollectReport) -> tuple[int, CaseResult] | None:
    """The position and the case a report carries, or None."""
    carried = cast("dict[str, Any] | None", report.__dict__.get(_ATTRIBUTE))
    if carried is None:
        return None
    members = {name: value for name, value in carried.items() if name != "position"}
    members |= {"evidence": tuple(carried["evidence"]), "proof": tuple(carried["proof"]), "sights": _sights(carried["sights"])}
    return carried["position"], CaseResult(**members)


def _read(properties: Iterable[tuple[str, object]]) -> dict[str, object] | None:
    attached = {name: value for name, value in properties if name in PROPERTIES}
    return attached if "case" in attached else None


def _sights(value: object) -> tuple[Sight, ...]:
    return tuple(Sight(**sight) for sight in cast("Iterable[dict[str, Any]]", value or ()))


def _numbers(value: object) -> tuple[int, ...]:
    return tuple(int(number) for number in cast("Iterable[int]", value or ()))


def _against_outcome(said: Verdict | None, report: pytest.TestReport) -> Verdict:
    """The verdict a test said, made worse where its outcome contradicts it."""
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
    if before is None:
        return f"after the test: {crash}"
    return f"after the test: {crash} (its verdict had been {before.verdict}: {before.message or 'no message'})"
