"""The pytest plugin that turns the reports of items into the files of a run.

`results.json` is written first and stays, whatever a renderer does afterwards. A renderer that fails and a secret in a file are faults
of the suite: every file is made once more to say so. Results of an earlier run are removed when the session starts, so
that no verdict outlives the run it belongs to.

Register a `Collector` only in a session that judges a target: without a single case the run is inconclusive.
Under pytest-xdist it is registered in every process; workers attach, the controller collects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import pytest

from reports.attached import attach, attached_case, keep_in_properties, omitted_in, settle, take_omitted
from reports.certificate import CERTIFICATE_FILE, SIGNATURE_SUFFIX
from reports.changes.baseline import CHANGES_FILES, tell_changes
from reports.faults import Fault, own_fault
from reports.journal import JOURNAL_FILE
from reports.ledger import LEDGER_FILE
from reports.records import Ending
from reports.render import RENDERINGS, produce, with_undecided
from reports.results import build_results, exit_code, with_faults, write_results
from reports.results_file import RESULTS_FILE
from reports.terminal import MARKUP, summarize
from reports.waivers import apply_waivers
from reports.wording import WORD

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from pathlib import Path

    from catalog.model import Catalog
    from conformance.profiles.model import Waiver
    from reports.changes.records import Baseline
    from reports.junit import Undecided
    from reports.records import Omitted
    from reports.render import Rendering
    from reports.results import CaseResult, Results, RunFacts
    from reports.verdicts import Verdict

_CASE: Final = pytest.StashKey["CaseResult | None"]()
_CATEGORY: Final[dict[Verdict, tuple[str, str]]] = {
    "pass": ("passed", "."),
    "fail": ("failed", "F"),
    "inconclusive": ("inconclusive", "?"),
    "not_applicable": ("not applicable", "-"),
    "observed": ("observed", "o"),
    "error": ("error", "E"),
}


class Collector:
    """Collects the cases of a session, writes their results, says them on the terminal.

    After the session `results` holds them; it is None where nothing was judged (`--collect-only`, a usage error,
    a worker).

    Args:
        run: What is known of the run when it starts.
        output: The directory the files are written to.
        catalog: Gives the clauses.
        certify: Whether a certificate is wanted (exit code 3 while it is refused).
        render: Whether to make the reports; results.json is written in any case.
        junit_inconclusive: What junit.xml writes an inconclusive case as.
        waivers: The known failures of the profile.
        finish: Gives what is known at the end: time, number of requests, values, the cases that there are.
        cut_off: Whether what is judged is a saved run that did not come to its end.
        baseline: An earlier run: what changed since is written, too.
        leaks: Names the files of the run that hold a secret, when they are written.
    """

    renderings: ClassVar[Mapping[str, Rendering]] = RENDERINGS  # the files made from the results, by name

    def __init__(  # noqa: PLR0913  the options are named where it is made
        self,
        run: RunFacts,
        output: Path,
        catalog: Catalog,
        *,
        certify: bool = False,
        render: bool = True,
        junit_inconclusive: Undecided = "skipped",
        waivers: Sequence[Waiver] = (),
        finish: Callable[[RunFacts], Ending] = Ending,
        cut_off: bool = False,
        baseline: Baseline | None = None,
        leaks: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        """Sends nothing and writes nothing yet."""
        self.results: Results | None = None
        self._run = run
        self._output = output
        self._catalog = catalog
        self._certify = certify
        self._waivers = waivers
        self._renderings: Mapping[str, Rendering] = with_undecided(self.renderings, junit_inconclusive) if render else {}
        self._finish = finish
        self._cut_off = cut_off
        self._baseline = baseline
        self._leaks = leaks
        self._judges = True
        self._positions: dict[str, int] = {}
        self._cases: dict[str, tuple[int, CaseResult]] = {}
        self._omitted: set[Omitted] = set()
        self._faults: list[Fault] = []

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Removes what an earlier run left."""
        is_worker = hasattr(session.config, "workerinput")
        self._judges = not (is_worker or session.config.getoption("collectonly"))
        if self._judges:
            for name in (RESULTS_FILE, *CHANGES_FILES, *self.renderings, CERTIFICATE_FILE + SIGNATURE_SUFFIX):
                self._make_room(self._output / name)
            for name in (LEDGER_FILE, JOURNAL_FILE):  # whoever judges a saved run has its files there
                self._make_room(self._output / name, keep=True)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Remembers the order of the items; every worker of pytest-xdist collects the same."""
        self._positions = {item.nodeid: position for position, item in enumerate(session.items)}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Moves what the item attached onto its report; outermost, so that whatever another plugin adds is seen."""
        report = yield
        take_omitted(report)
        before = item.stash.get(_CASE, None)
        case = settle(report, call.excinfo.value if call.excinfo else None, before)
        if case is not None:
            item.stash[_CASE] = case
            attach(report, case, self._positions.get(item.nodeid, len(self._positions)))
        keep_in_properties(report, case or before)
        return report

    def pytest_report_teststatus(self, report: pytest.CollectReport | pytest.TestReport) -> tuple[str, str, object] | None:
        """Category, letter and word of a case; anything else keeps pytest's own."""
        carried = attached_case(report)
        if carried is None:
            return ("not judged", "-", "NOT JUDGED") if omitted_in(report) else None
        verdict = carried[1].verdict
        category, letter = _CATEGORY[verdict]
        return category, letter, (WORD[verdict].upper(), MARKUP[verdict])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes the case of a report; what fails without carrying one is a fault of the suite."""
        carried, omitted = attached_case(report), omitted_in(report)
        if carried is not None:
            self._cases[report.nodeid] = carried
        elif omitted:
            self._omitted.add(omitted)
        elif report.failed:
            self._faults.append(own_fault(f"{report.nodeid}: failed and is no case: {_last_line(report)}"))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be collected hides cases."""
        if report.failed:
            self._faults.append(own_fault(f"{report.nodeid}: cannot be collected: {_last_line(report)}"))

    def pytest_internalerror(self, excrepr: object) -> None:
        """An error of pytest or of a plugin ends the session early."""
        self._faults.append(own_fault(f"internal error: {str(excrepr).strip().rpartition(chr(10))[2]}"))

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
        """Writes the files, once more where one of them is broken or holds a secret, and sets the exit status `run` would have."""
        if not self._judges or exitstatus == pytest.ExitCode.USAGE_ERROR:
            return
        results = self._build(interrupted=self._cut_off or exitstatus == pytest.ExitCode.INTERRUPTED)
        broken = (*map(own_fault, self._write(results)), *(Fault("leaked", leak) for leak in self._leaks()))
        if broken:
            results = with_faults(results, broken)
            (self._output / CERTIFICATE_FILE).unlink(missing_ok=True)
            self._write(results)
        self.results = results
        code = exit_code(results)
        if code or exitstatus == pytest.ExitCode.OK:
            session.exitstatus = code

    def add_faults(self, faults: Iterable[Fault]) -> None:
        """Adds faults of the run that are known before the session ends."""
        self._faults.extend(faults)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> Generator[None]:
        """Says the verdict last, below whatever pytest prints."""
        yield
        if self.results is None:
            return
        if self.results.interrupted:  # pytest would name the line of this suite that the interruption came upon
            vars(terminalreporter)["_report_keyboardinterrupt"] = lambda: None
        try:
            summarize(self.results, self._catalog, self._output, terminalreporter)
        except Exception as problem:  # noqa: BLE001  the files are written; a broken summary must not change the exit status
            terminalreporter.write_line(f"the summary could not be shown: {type(problem).__name__}: {problem}", red=True)

    @staticmethod
    def _make_room(file: Path, *, keep: bool = False) -> None:
        try:
            if not keep or file.is_dir():
                file.unlink(missing_ok=True)
        except OSError as problem:  # a directory of that name, or one that may not be written to
            raise pytest.UsageError(f"{file}: {problem.strerror}: a file of the run belongs there") from None

    def _write(self, results: Results) -> tuple[str, ...]:
        """Writes results.json first, then what changed, then every rendering; answers what went wrong, a line each."""
        try:
            write_results(results, self._output / RESULTS_FILE)
        except OSError as problem:
            return (f"{RESULTS_FILE} could not be written: {problem.strerror}",)
        broken = tell_changes(self._baseline, results, self._output) if self._baseline else ()
        return broken + produce(results, self._output, self._catalog, self._renderings)

    def _build(self, *, interrupted: bool) -> Results:
        cases = [case for _, case in sorted(self._cases.values(), key=lambda carried: carried[0])]
        ending = Ending(self._run)
        try:
            ending = self._finish(self._run)
        except Exception as problem:  # noqa: BLE001  whatever it is, the cases are not lost for it
            self._faults.append(own_fault(f"the facts of the run are incomplete: {type(problem).__name__}: {problem}"))
        omitted = (*ending.omitted, *sorted(self._omitted))
        partial = not ending.expected <= {case.id for case in cases} | {one.id for one in self._omitted}
        cases, waivers = apply_waivers(cases, self._waivers, started=ending.run.started, partial=partial, omitted=omitted)
        return build_results(
            ending.run,
            cases,
            self._catalog,
            faults=self._faults,
            waivers=waivers,
            values=ending.values,
            omitted=omitted,
            interrupted=interrupted,
            partial=partial,
            certify=self._certify,
        )


def _last_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    lines = report.longreprtext.strip().splitlines()
    return lines[-1].strip() if lines else "no text"
