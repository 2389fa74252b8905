"""Drives a run in a session of pytest: it is opened, reads, writes, judges and ends.

Pytest collects an item for each case and selects some; these say what is asked of the target. All exchanges
are made before the first item is run, which judges what was seen.
"""

import gc
from collections.abc import Callable, Generator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest

import conformance
from conformance.cases import cases_of, derivations_of
from conformance.harness.errors import LedgerError, RefusedError, TransportError, UnmaskableSecretError
from conformance.harness.interruptions import interrupted_once, undisturbed
from conformance.profiles.fields import ProfileError
from conformance.records.results import Results, Suspect
from conformance.runs.asked import Asked
from conformance.runs.known_power import known_power
from conformance.runs.observed_run import ObservedRun
from conformance.runs.processes.items import CaseItem
from conformance.runs.processes.outlets import printable
from conformance.runs.processes.progress import Progress, progress_of
from reports.results.collector import Collector

PACKAGE: Final = Path(conformance.__file__).parent
"""Where the test modules are."""
MISTAKES = (ProfileError, TransportError, LedgerError, RefusedError)
"""The errors for which nothing is judged, because of what the user gave; each says what is wrong."""
_COUNTED = SimpleNamespace()
"""Stands for the report of a case where only the number of reports is shown; plugins look at its members."""
_OF_FAILURES = frozenset("NwfFeE")
"""What -r may ask for so that no report of a case that did not fail is shown."""
_SUMMED_UP = -1
"""The verbosity of -q, with which the summary of the run says all; below it, pytest sums up nothing."""
_CUT_OFF = {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR}


def _suspects(run: ObservedRun, results: Results) -> tuple[Suspect, ...]:
    """What of the profile would explain what was found."""
    from conformance.suspects.search import suspects_of  # noqa: PLC0415  of no use before something was found

    return suspects_of(run.contents, results)


class Driving:
    """The plugin of pytest that judges what was asked; its hooks stand in the order of a run."""

    _run: ObservedRun
    _collector: Collector
    _progress: Progress | None

    def __init__(self, asked: Asked) -> None:
        """Opens nothing yet."""
        self._asked = asked
        self._stack, self._progressing = ExitStack(), ExitStack()
        self._shown: Any = None
        self._advance: Callable[[int], None] | None = None

    def pytest_addoption(self, parser: pytest.Parser) -> None:
        """The one option that pytest gets: all others are those of a command, in `Asked`."""
        group = parser.getgroup("appliance conformance")
        group.addoption(
            "--no-renderings", action="store_true", help="write results.json and the ledger, no report"
        )

    def pytest_configure(self, config: pytest.Config) -> None:
        """Opens the session, so that mistakes in a profile are reported before anything is sent."""
        asked = self._asked
        config.add_cleanup(self._stack.close)
        try:
            run = self._run = asked.open_session(self._stack)
        except MISTAKES as error:
            raise pytest.UsageError(printable(str(error))) from None
        self._collector = Collector(
            run.facts(asked.typed),
            asked.out,
            certify=asked.certify,
            render=not config.getoption("no_renderings", default=False),
            junit_inconclusive=asked.junit_inconclusive,
            waivers=run.profile.waiver,
            finish=run.ending,
            cut_off=not run.contents.complete,
            baseline=asked.baseline,
            leaks=run.leaks,
            suspects=partial(_suspects, run),
            power=known_power(asked.state, run.profile, run.level),
        )
        is_heard = config.pluginmanager.has_plugin("terminal")  # nobody reads what a trial of the proof says
        self._progress = progress_of(config.option.verbose) if is_heard else None
        config.pluginmanager.register(self._collector, "appliance-conformance")

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Finds who shows the reports, unless those of cases that did not fail are asked for (-rA)."""
        if session.config.pluginmanager.has_plugin("dsession") or hasattr(session.config, "workerinput"):
            raise pytest.UsageError("a run is made by one process: leave -n of pytest-xdist out")
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal and _OF_FAILURES.issuperset(session.config.option.reportchars):
            self._shown = terminal

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        """Ignores all but the named modules: pytest would ask about each of their neighbours."""
        if collection_path in {config.rootpath, PACKAGE}:
            return None
        return not collection_path.name.startswith("test_")

    def pytest_pycollect_makeitem(self, collector: pytest.Module, obj: Any) -> list[CaseItem] | None:
        """One item for each case of a test that is derived from the catalog."""
        derivations = derivations_of(obj)
        if not derivations:
            return None
        return [
            CaseItem.of(collector, function=obj, run=self._run, case=case)
            for case in cases_of(derivations, self._run.profile, self._run.level)
        ]

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leaves out all cases but the chosen ones."""
        chosen = self._asked.chosen
        if chosen is None:
            return
        kept: list[pytest.Item] = []
        left: list[pytest.Item] = []
        for item in items:
            (kept if isinstance(item, CaseItem) and item.case.id in chosen else left).append(item)
        config.hook.pytest_deselected(items=left)
        items[:] = kept

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Selects the cases that pytest selected: the target is asked nothing else."""
        self._run.select([item.case for item in session.items if isinstance(item, CaseItem)])
        # items live as long as the session: looking for garbage among them costs a tenth of a run
        gc.freeze()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Reads and writes before the first case, also if no selected case needs a read.

        So the ledger beside the results is always that of this run, and an error on the way is one fault.
        """
        if session.testsfailed or session.config.getoption("collectonly"):
            return
        session.config.add_cleanup(interrupted_once(lambda: self._run.has_asked))
        try:
            self._run.read(self._progress, self._asked.state)
            self._run.write(self._progress)
        except UnmaskableSecretError as error:
            raise session.Failed(str(error)) from None
        if self._progress:
            self._advance = self._progressing.enter_context(self._progress.judging(len(session.items)))

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Judges a case without setup and teardown: it has no fixtures, and a run has thousands of cases."""
        if not isinstance(item, CaseItem):
            return None
        item.run()
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> pytest.TestReport | None:
        """Makes the report of a case."""
        return item.report_of(call) if isinstance(item, CaseItem) else None

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Lets the terminal only count the report of a case that did not fail: nothing of it is shown."""
        if report.failed or self._shown is None:
            return
        for reports in self._shown.stats.values():
            if reports and reports[-1] is report:
                reports[-1] = _COUNTED
        if self._shown.verbosity < 1:  # with -v, what share of the cases was reported is shown
            cast("set[str]", self._shown._progress_nodeids_reported).clear()  # noqa: SLF001  pytest keeps each name

    def pytest_runtest_logfinish(self) -> None:
        """A case was judged."""
        if self._advance:
            self._advance(1)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None]:
        """Ends the run before the files are written: everything written to the target is back."""
        self._progressing.close()  # before anything is said of the outcome
        session.items.clear()  # the files need the memory of those of a large fleet
        with undisturbed():  # a second Ctrl-C must not cost the files of the first
            self._collector.add_faults(self._run.finish(interrupted=exitstatus in _CUT_OFF))
            yield
        gc.unfreeze()

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, config: pytest.Config) -> None:
        """Keeps pytest's own last line from saying the counts again, after the summary of the run."""
        if config.option.verbose == _SUMMED_UP:
            config.option.verbose = _SUMMED_UP - 1
