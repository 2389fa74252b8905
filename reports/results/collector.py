"""The pytest plugin that turns the reports of items into the files of a run.

`results.json` is written first and stays, even if a renderer fails. A renderer that fails and a secret in a
file are faults of the suite: every file is then made once more to say so. Results of an earlier run are
removed when the session starts, so that no verdict outlives its run.

A test attaches what was judged to its item: a case, or why there is none. It travels on the report. The
verdict is the one that was attached, never guessed from a text or an outcome. A test that fails without the
verdict `fail` or `error` has crashed, which is a fault of the suite.

Register a `Collector` only in a session that judges a target: without a single case the run is inconclusive.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, TypeAlias, cast

import pytest
from msgspec.structs import replace

from conformance.checks.verdict import Verdict
from conformance.profiles.model import Waiver
from conformance.records.faults import Fault, own_fault
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.known_faults import RunPower
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import CaseResult, Omitted, Results, RunEnding, Suspect
from conformance.records.run_facts import RunFacts
from reports.certificate import ATTESTATION_FILE
from reports.changes.files import CHANGES_FILES, report_changes
from reports.changes.model import Baseline
from reports.formats import CASES_FILE, InconclusiveAs
from reports.formats.cases_page import write_cases
from reports.formats.terminal import MARKUP, summarize
from reports.phrases import WORD
from reports.renderings import RENDERINGS, Rendering, write_renderings
from reports.results.build import build_results, exit_code, with_faults
from reports.results.file import RESULTS_FILE, write_results
from reports.results.findings import apply_waivers
from reports.shown_run import ShownRun

Attached: TypeAlias = CaseResult | Omitted
ATTACHED: Final = pytest.StashKey[Attached]()
"""Where an item has what was judged."""
_CARRIED: Final = "appliance_conformance"
_CATEGORY: Final[dict[Verdict, str]] = {**WORD, "pass": "passed", "fail": "failed"}


@dataclass(eq=False)
class Collector:
    """Collects the cases of a session, writes their results, says them on the terminal.

    After the session `results` holds them; it is None where nothing was judged (`--collect-only`, a usage
    error).

    Args:
        run: What is known of the run when it starts.
        output: The directory the files are written to.
        certify: Whether a certificate is wanted (exit code 3 while it is refused).
        render: Whether to make the reports; results.json is written in any case.
        junit_inconclusive: What junit.xml writes an inconclusive case as.
        waivers: The known failures of the profile.
        finish: Gives what is known at the end: time, number of requests, values, the cases that there are.
        cut_off: Whether what is judged is a saved run that did not come to its end.
        baseline: An earlier run: what changed since is written, too.
        leaks: Names the files of the run that hold a secret, when they are written.
        suspects: Searches for edits of the profile that findings may come from; not for results alone.
        power: What such a run finds of the known faults, if anybody has asked for it.
    """

    renderings: ClassVar[Mapping[str, Rendering]] = RENDERINGS  # the files made from the results, by name

    run: RunFacts
    output: Path
    _: KW_ONLY
    certify: bool = False
    render: bool = True
    junit_inconclusive: InconclusiveAs = "skipped"
    waivers: Sequence[Waiver] = ()
    finish: Callable[[RunFacts], RunEnding] = RunEnding
    cut_off: bool = False
    baseline: Baseline | None = None
    leaks: Callable[[], Iterable[str]] = tuple
    suspects: Callable[[Results], tuple[Suspect, ...]] | None = None
    power: RunPower | None = None
    results: Results | None = field(default=None, init=False)
    _judges: bool = field(default=True, init=False)
    _unsearched: str = field(default="", init=False)
    _cases: list[CaseResult] = field(default_factory=list[Any], init=False)
    _omitted: set[Omitted] = field(default_factory=set[Any], init=False)
    _faults: list[Fault] = field(default_factory=list[Fault], init=False)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Removes what an earlier run left."""
        self._judges = not session.config.getoption("collectonly")
        if self._judges:
            for name in (*self._made, ATTESTATION_FILE):
                self._remove(self.output / name)
            for name in (LEDGER_FILE, JOURNAL_FILE):  # whoever judges a saved run has its files there
                self._remove(self.output / name, keep=True)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Moves what the item attached onto its report, after every other plugin."""
        report = yield
        attached = item.stash.get(ATTACHED, None) if call.when == "call" else None
        if attached is not None:
            report.__dict__[_CARRIED] = attached
        return report

    def pytest_report_teststatus(
        self, report: pytest.CollectReport | pytest.TestReport, config: pytest.Config
    ) -> tuple[str, str, object] | None:
        """Category and word of a case, said with -v only; anything else keeps pytest's own.

        There are no letters: the summary has a line for each section instead of thousands of them.
        """
        is_said = config.get_verbosity() > 0
        carried = _attached_to(report)
        if carried is None:
            return None
        if isinstance(carried, Omitted):
            return "", "", "NOT JUDGED" if is_said else ""  # the summary counts these with all left out
        verdict = carried.verdict
        word = (WORD[verdict].upper(), MARKUP[verdict]) if is_said else ""
        return _CATEGORY[verdict], "", word

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the case of a report; what fails without one that says so is a fault of the suite."""
        attached = _attached_to(report)
        if isinstance(attached, CaseResult):
            self._cases.append(attached)
        elif attached:
            self._omitted.add(attached)
        if report.failed and not (isinstance(attached, CaseResult) and attached.verdict in {"fail", "error"}):
            what = f"{report.nodeid}: failed, and no case says so: {_last_line(report)}"
            self._faults.append(own_fault(what))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be collected hides cases."""
        if report.failed:
            self._faults.append(own_fault(f"{report.nodeid}: cannot be collected: {_last_line(report)}"))

    def pytest_internalerror(self, excrepr: object) -> None:
        """An error of pytest or of a plugin ends the session early."""
        self._faults.append(own_fault(f"internal error: {str(excrepr).strip().rpartition(chr(10))[2]}"))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Writes the files, again if one is broken or holds a secret, and sets the exit status."""
        if not self._judges or exitstatus == pytest.ExitCode.USAGE_ERROR:
            return
        results = self._build(interrupted=self.cut_off or exitstatus == pytest.ExitCode.INTERRUPTED)
        results = self._suspected(replace(results, power=self.power))
        unmade = self._write(session, results)
        broken = (*map(own_fault, unmade), *(Fault("leaked", leak) for leak in self.leaks()))
        if broken:
            results = with_faults(results, broken)
            for name in self._made:  # they say another verdict, and there may be no room for the new ones
                with suppress(OSError):
                    (self.output / name).unlink(missing_ok=True)
            self._write(session, results)
        self.results = results
        code = exit_code(results)
        if code or exitstatus == pytest.ExitCode.OK:
            session.exitstatus = code

    @property
    def _made(self) -> tuple[str, ...]:
        """The files that are made from the results."""
        return (RESULTS_FILE, *CHANGES_FILES, *self.renderings, CASES_FILE)

    def add_faults(self, faults: Iterable[Fault]) -> None:
        """Adds faults of the run that are known before the session ends."""
        self._faults.extend(faults)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        """Says the verdict last, below whatever pytest prints."""
        yield
        if self.results is None:
            return
        if self.results.interrupted:  # pytest would name the line of this suite at which it was interrupted
            vars(terminalreporter)["_report_keyboardinterrupt"] = lambda: None
        if self._unsearched:
            what = f"the search for mistakes of the profile could not be made: {self._unsearched}"
            terminalreporter.write_line(what, red=True)
        try:
            summarize(ShownRun(self.results, self.output), terminalreporter)
        except Exception as problem:  # noqa: BLE001  the files are written; a broken summary must not change the exit status
            what = f"{type(problem).__name__}: {problem}"
            terminalreporter.write_line(f"the summary could not be shown: {what}", red=True)

    def _suspected(self, results: Results) -> Results:
        """The results with what may be wrong in the profile; as they are where the search itself is wrong."""
        if not (self.suspects and self.render) or results.interrupted:
            return results
        try:
            return replace(results, suspects=self.suspects(results))
        except Exception as problem:  # noqa: BLE001  it must change no verdict, and no exit code
            self._unsearched = f"{type(problem).__name__}: {problem}"
            return results

    @staticmethod
    def _remove(file: Path, *, keep: bool = False) -> None:
        try:
            if not keep or file.is_dir():
                file.unlink(missing_ok=True)
        except OSError as problem:  # a directory of that name, or one that may not be written to
            raise pytest.UsageError(f"{file}: {problem.strerror}: a file of the run belongs there") from None

    def _write(self, session: pytest.Session, results: Results) -> tuple[str, ...]:
        """Writes results.json, then what changed, then every rendering; returns a line for each failure."""
        try:
            write_results(results, self.output / RESULTS_FILE)
        except OSError as problem:
            return (f"{RESULTS_FILE} could not be written: {problem.strerror}",)
        broken = report_changes(self.baseline, results, self.output) if self.baseline else ()
        if not self.render:
            return broken
        run = ShownRun(results, self.output)
        run.inconclusive = self.junit_inconclusive
        broken += write_renderings(run, self.renderings)
        try:
            write_cases(session, results, self.output / CASES_FILE)
        except Exception as problem:  # noqa: BLE001  as of every other rendering
            broken += (f"{CASES_FILE} could not be made: {type(problem).__name__}: {problem}",)
        return broken

    def _build(self, *, interrupted: bool) -> Results:
        cases, self._cases = self._cases, []
        ending = RunEnding(self.run)
        try:
            ending = self.finish(self.run)
        except Exception as problem:  # noqa: BLE001  whatever it is, the cases are not lost for it
            what = f"{type(problem).__name__}: {problem}"
            self._faults.append(own_fault(f"the facts of the run are incomplete: {what}"))
        ending = ending.without(self._omitted)
        cases, waivers = apply_waivers(cases, self.waivers, ending)
        return build_results(
            ending,
            cases,
            faults=self._faults,
            waivers=waivers,
            interrupted=interrupted,
            certify=self.certify,
        )


def _attached_to(report: pytest.TestReport | pytest.CollectReport) -> Attached | None:
    """What a report carries, or None."""
    return cast("Attached | None", report.__dict__.get(_CARRIED))


def _last_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    lines = report.longreprtext.strip().splitlines()
    return lines[-1].strip() if lines else "no text"
