"""What comes of a trial: one server judged, and what its ledger says compared with what was judged.

A run is a session of pytest that asks a server through sockets. A trial calls the same checks itself, with
the same session, and asks a server of its own process, in a fraction of the time; a verdict depends on
nothing but profile, case and observations, so what is read from its ledger must be equal to these. Some
trials are runs of pytest over loopback all the same: their ledgers are judged again without it, and the
results must be equal.
"""

import gc
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK
from catalog.loader import CATALOG
from catalog.model import Level
from conformance.checks.traces.effects import may_have_run
from conformance.model.values import alike
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import network_of
from conformance.proof.trials import PREFIX, Trial
from conformance.records.faults import Fault, own_faults
from conformance.records.journal_lines import JOURNAL_FILE, has_lines, journal_lines
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.runs.asked import Asked
from conformance.runs.exit_codes import SUITE_FAULT
from conformance.runs.observed_run import ObservedRun, observed
from conformance.runs.processes.driving import Driving
from conformance.runs.processes.pytest_process import fixed_words
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.saved.verifying import first_difference
from conformance.runs.session import Session
from reports.certificate import refusals
from reports.kills import published_kills
from reports.phrases import headline
from reports.results.build import exit_code
from reports.results.file import RESULTS_FILE, load_results, render_results

_QUIET = ("terminal", "tmpdir", "unittest", "junitxml", "legacypath", "recwarn", "monkeypatch")
"""Plugins of pytest that a trial has no use for."""


class TrialOutcome(Struct, frozen=True):
    """What came of a trial: the verdict of the run, its faults, and the failed cases with their messages.

    `findings` are the clauses of each finding that the failed cases were joined to. `differs` is the first
    thing that the ledger of the run says otherwise, empty when there is nothing. `ends` is the exit code,
    `passes` are the cases that passed, `refused` is why no certificate is given, empty where one is, and
    `headline` is what a reader is told first.
    """

    verdict: str
    fails: dict[str, str]
    faults: tuple[str, ...] = ()
    differs: str = ""
    findings: tuple[tuple[str, ...], ...] = ()
    ends: int = SUITE_FAULT
    passes: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    headline: str = ""

    @property
    def troubles(self) -> tuple[str, ...]:
        """What has nothing to do with the server that was judged."""
        return (*self.faults, *([f"its ledger differs: {self.differs}"] if self.differs else []))

    @property
    def clauses(self) -> frozenset[str]:
        """The clauses that turned red."""
        return _clauses(self.fails)

    @property
    def green(self) -> frozenset[str]:
        """The clauses of which a case passes and none fails."""
        return _clauses(self.passes) - self.clauses


def _clauses(cases: Iterable[str]) -> frozenset[str]:
    return frozenset(case.partition("::")[0] for case in cases)


def prepare_process() -> None:
    """Readies a process for hundreds of trials."""
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # other plugins would be set up anew for each session
    gc.freeze()
    gc.set_threshold(5_000_000)  # a trial makes many objects, and few that live on


def outcome_of(trial: Trial, directory: Path, *, pytest: bool) -> TrialOutcome:
    """Judges the server of a trial, with files in `directory`, and reads the ledger of that.

    With `pytest` the run is a session of pytest over loopback, as a user's is.
    """
    service = trial.server()
    services, before = {PREFIX: service}, service.settings()
    if pytest:
        with serve(services) as base_url:
            directory.mkdir(parents=True, exist_ok=True)
            profile = directory / "profile.toml"
            profile.write_text(toml_of(trial.profile(service, base_url)), encoding="utf-8")
            results = _by_pytest(profile, directory, trial.level)
        differs = _unlike_judged_again(results, directory) if results else ""
    else:
        profile = build_profile(trial.profile(service))
        session = Session(profile, directory, trial.level, network=network_of(services))
        results = judged_in(session)
        differs = session.first_unlike(_saved(directory))
    if results is None:
        return TrialOutcome("error", {}, ("the session ended without results",))
    fails = {case.id: case.message for case in results.cases if case.verdict == "fail"}
    faults = (
        *map(str, own_faults(results.faults)),
        *(f"{case.id}: {case.message}" for case in results.cases if case.verdict == "error"),
        *(() if fails or trial.level == "read" else _moved(service, before, results.faults, directory)),
    )
    return TrialOutcome(
        results.verdict,
        fails,
        faults,
        differs,
        findings=tuple(finding.clauses for finding in results.findings),
        ends=exit_code(results),
        passes=tuple(case.id for case in results.of("pass")),
        refused=(*refusals(results, published_kills()),),
        headline=headline(results),
    )


def told_of(faults: Iterable[Fault], directory: Path) -> set[tuple[str, str]]:
    """The settings of which a run says that it left them with another value, or that somebody else did."""
    journal = directory / JOURNAL_FILE
    lines = journal_lines(journal) if has_lines(journal) else []
    changed = {(line["ha_id"], line["key"]) for line in lines if line.get("changed") and not line["restored"]}
    return changed | {(fault.ha_id, fault.key) for fault in faults}


def _moved(
    service: Service, before: Mapping[tuple[str, str], Json], faults: Iterable[Fault], directory: Path
) -> Iterator[str]:
    """The settings that a run has left with another value without a word, or a step away from it.

    An alarm clock may have run on.
    """
    left = service.settings()
    for (ha_id, key), value in before.items():
        now, entry = left[ha_id, key], CATALOG.entries[key]
        has_run_on = key == ALARM_CLOCK and may_have_run(value, now, 0.0)
        own = service.bounds(service.appliances[ha_id], entry) if entry.is_numeric else None
        is_back = has_run_on or alike(entry, value, now, own.step if own else None)
        if not is_back and (ha_id, key) not in told_of(faults, directory):
            yield f"{ha_id} {key} was {value!r}, is {now!r}, and the run says nothing of it"


def _saved(directory: Path) -> ObservedRun:
    """The run of a trial, from its ledger alone."""
    return observed(SavedRun(directory / LEDGER_FILE))


def _by_pytest(profile: Path, out: Path, level: Level) -> Results | None:
    """The results of a session of pytest; None if there are none."""
    import pytest  # noqa: PLC0415  only the processes that judge need it

    without = [word for plugin in _QUIET for word in ("-p", f"no:{plugin}")]
    # the servers end with the proof and nobody else knows their addresses: nothing has to be held
    asked = Asked(str(profile), out, level=level)
    pytest.main([*fixed_words(), "--no-renderings", *without], plugins=[Driving(asked)])
    path = out / RESULTS_FILE
    return load_results(path) if path.is_file() else None


def _unlike_judged_again(results: Results, directory: Path) -> str:
    """The first difference between a run and its ledger judged again, in a case or in the whole run."""
    again = judged_in(_saved(directory))
    whole = replace(again, run=replace(again.run, argv=results.run.argv))
    if whole == results:
        return ""
    one, other = (json.loads("".join(render_results(judged))) for judged in (results, whole))
    return first_difference(one, other, "run") or "what differs is not in results.json"
