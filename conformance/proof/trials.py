"""Trials: one server judged, and the ledger of that run judged again.

A run is a session of pytest. A trial calls the same checks itself, with the same session, in a fraction of
the time. Some trials are runs of pytest all the same: their ledgers are judged again without it, and the
results must be equal.
"""

from __future__ import annotations

import gc
import json
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from conformance.cases import CATALOG
from conformance.harness.ledger import LEDGER_FILE
from conformance.profiles.validation import load_profile
from conformance.runs.confirmation import checks_of
from conformance.runs.processes.pytest_process import arguments
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.saved.verifying import first_difference
from conformance.runs.session import Session
from reports.results.build import build_results
from reports.results.faults import Fault, own_faults
from reports.results.file import RESULTS_FILE, load_results, render_results
from reports.results.model import CaseResult, DecidingExchange, Omitted

if TYPE_CHECKING:
    from pathlib import Path

    from catalog.model import Level
    from conformance.reference.service import Service
    from conformance.runs.judging import Judged
    from reports.results.model import Results

_QUIET = ("terminal", "tmpdir", "unittest", "junitxml", "legacypath", "recwarn", "monkeypatch")
"""Plugins of pytest that a trial has no use for."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One server to be judged: its name, which is also its prefix, its profile, and the level of the run."""

    name: str
    service: Service
    profile: dict[str, Any]
    level: Level


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """What came of a trial: the verdict of the run, its faults, and the failed cases with their messages.

    `findings` are the clauses of each finding that the failed cases were joined to. `differs` is the first
    thing that came out otherwise when the ledger of the run was judged again, empty when nothing did.
    """

    verdict: str
    fails: dict[str, str]
    faults: tuple[str, ...] = ()
    differs: str = ""
    findings: tuple[tuple[str, ...], ...] = ()

    @property
    def troubles(self) -> tuple[str, ...]:
        """What has nothing to do with the server that was judged."""
        return (*self.faults, *([f"judged again from its ledger, {self.differs}"] if self.differs else []))

    @property
    def clauses(self) -> frozenset[str]:
        """The clauses that turned red."""
        return frozenset(case.partition("::")[0] for case in self.fails)


def prepare_process() -> None:
    """Readies a process for hundreds of trials."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # other plugins would be set up anew for each session
    gc.freeze()
    gc.set_threshold(100_000)  # a trial makes many objects, and few that live on


def outcome_of(directory: Path, level: Level, *, pytest: bool) -> TrialOutcome:
    """Judges the server of the profile in `directory`, then the ledger of that: both must come out alike.

    With `pytest` the run is a session of pytest, as a user's is.
    """
    profile = directory / "profile.toml"
    results = _by_pytest(profile, directory, level) if pytest else _live(profile, directory, level)
    if results is None:
        return TrialOutcome("error", {}, ("the session ended without results",))
    again = _judged(Session.of_saved(SavedRun(directory / LEDGER_FILE), directory))
    fails = {case.id: case.message for case in results.cases if case.verdict == "fail"}
    faults = (
        *map(str, own_faults(results.faults)),
        *(f"{case.id}: {case.message}" for case in results.cases if case.verdict == "error"),
    )
    findings = tuple(finding.clauses for finding in results.findings)
    return TrialOutcome(results.verdict, fails, faults, _difference(results, again), findings)


def _by_pytest(profile: Path, out: Path, level: Level) -> Results | None:
    """The results of a session of pytest; None if there are none."""
    import pytest  # noqa: PLC0415  only the processes that judge need it

    without = [word for plugin in _QUIET for word in ("-p", f"no:{plugin}")]
    # the servers end with the proof and nobody else knows their addresses: nothing has to be held
    pytest.main([*arguments(str(profile), out, level=level), "--no-renderings", "--held", *without])
    path = out / RESULTS_FILE
    return load_results(path) if path.is_file() else None


def _live(profile: Path, out: Path, level: Level) -> Results:
    """The results of a run without pytest; they can be written to a file."""
    results = _judged(Session(load_profile(profile, CATALOG, os.environ), out, level))
    render_results(results)
    return results


def _judged(session: Session) -> Results:
    """Makes the exchanges of a session, unless it is of a saved run, and judges all its cases."""
    try:
        facts = session.facts()
        checks = list(checks_of(session.profile, session.level))
        session.select([case for case, _ in checks])
        session.read()
        told = [_told(session.judge(case, check)) for case, check in checks]
        faults = [*session.finish(), *(Fault("leaked", leak) for leak in session.leaks())]
        ending = session.ending(facts)
    finally:
        session.close()
    omitted = sorted({one for one in told if isinstance(one, Omitted)})
    return build_results(
        ending.run,
        [one for one in told if isinstance(one, CaseResult)],
        CATALOG,
        faults=faults,
        values=ending.values,
        omitted=(*ending.omitted, *omitted),
        interrupted=session.is_cut_off,
    )


def _told(judged: Judged) -> CaseResult | Omitted:
    """What a report says of a judged case."""
    said = dict[str, Any](judged.properties)
    if said["field"]:
        return Omitted(*(said[name] for name in ("clause", "key", "ha_id", "message", "field")))
    lines = (line.strip() for line in str(said["message"]).splitlines())
    said |= {
        "id": said["case"],
        "message": next((line for line in lines if line), ""),
        "evidence": tuple(said["evidence"]),
        "proof": tuple(said["proof"]),
        "sights": tuple(DecidingExchange(**sight) for sight in said["sights"]),
    }
    return CaseResult(**{name: said[name] for name in CaseResult.__slots__ if name in said})


def _difference(results: Results, again: Results) -> str:
    """The first difference between a run and its ledger judged again, in a case or in the whole run."""
    whole = replace(again, run=replace(again.run, argv=results.run.argv))
    if whole == results:
        return ""
    one, other = (json.loads(render_results(judged)) for judged in (results, whole))
    return first_difference(one, other, "run") or "what differs is not in results.json"
