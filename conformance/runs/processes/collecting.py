"""The hooks of pytest that make the item of each case, run it, and end the run before its files."""

import gc
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from conformance.cases import cases_of, derivations_of
from conformance.foreign_files import CASES, read_text
from conformance.harness.writes.keeping.interruptions import undisturbed
from conformance.runs.processes.items import CaseItem, CaseJudge
from conformance.runs.processes.pytest_process import HOME, PACKAGE
from conformance.runs.session import Session
from reports.results.collector import Collector

_COUNTED = SimpleNamespace()
"""Stands for the report of a case where only the number of reports is shown; plugins look at its members."""
_OF_FAILURES = frozenset("NwfFeE")
"""What -r may ask for so that no report of a case that did not fail is shown."""
_SUMMED_UP = -1
"""The verbosity of -q, with which the summary of the run says all; below it, pytest sums up nothing."""
_CUT_OFF = {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR}


class CaseHooks:
    """The hooks of a pytest session that judges the cases of a run."""

    def __init__(self, run: Session, collector: Collector) -> None:
        """Nothing is collected yet; `collector` is told what the end of the run found."""
        self._run = run
        self._collector = collector
        self._shown: Any = None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Finds who shows the reports, unless those of cases that did not fail are asked for (-rA)."""
        terminal = session.config.pluginmanager.get_plugin("terminalreporter")
        if terminal and _OF_FAILURES.issuperset(session.config.option.reportchars):
            self._shown = terminal

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Ignores all but the named modules: pytest would ask about each of their neighbours."""
        if collection_path in {HOME, PACKAGE}:
            return None
        return not collection_path.name.startswith("test_")

    def pytest_pycollect_makeitem(self, collector: pytest.Module, obj: Any) -> list[CaseItem] | None:
        """One item for each case of a test that is derived from the catalog."""
        derivations = derivations_of(obj)
        if not derivations:
            return None
        return [
            CaseItem.of(collector, function=obj, judge=CaseJudge(self._run, case))
            for case in cases_of(derivations, self._run.profile, self._run.level)
        ]

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        """Runs a case without setup and teardown: it has no fixtures, and a run has thousands of cases."""
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

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Leaves out all cases but those that the file of --cases names."""
        chosen: Path | None = config.option.cases
        if chosen is None:
            return
        try:
            ids = set(read_text(chosen, CASES).splitlines())
        except (OSError, UnicodeDecodeError) as error:
            reason = "is no UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
            raise pytest.UsageError(f"{chosen}: {reason}") from error
        left = [item for item in items if not (isinstance(item, CaseItem) and item.judge.case.id in ids)]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]

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

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Selects the cases that pytest selected: the target is asked nothing else."""
        self._run.select([item.judge.case for item in session.items if isinstance(item, CaseItem)])
        # items live as long as the session: looking for garbage among them costs a tenth of a run
        gc.freeze()

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, config: pytest.Config) -> None:
        """Keeps pytest's own last line from saying the counts again, after the summary of the run."""
        if config.option.verbose == _SUMMED_UP:
            config.option.verbose = _SUMMED_UP - 1

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> Generator[None]:
        """Ends the run before the files are written: everything written to the target is back."""
        session.items.clear()  # the files need the memory of those of a large fleet
        with undisturbed():  # a second Ctrl-C must not cost the files of the first
            self._collector.add_faults(self._run.finish(interrupted=exitstatus in _CUT_OFF))
            yield
        gc.unfreeze()
