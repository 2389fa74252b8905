"""The pytest items of a run: one for each case."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from traceback import clear_frames
from typing import Any, Self, cast

import pluggy
import pytest

from conformance.cases import Judge
from conformance.checks.case import Case
from conformance.checks.premise import Check
from conformance.records.results import CaseResult
from conformance.runs.observed_run import ObservedRun
from reports.formats.junit import account_of
from reports.results.collector import ATTACHED, Attached

_SKIPPED = {"inconclusive": "INCONC", "not_applicable": "NA", "not_judged": "NOT JUDGED"}


class _Momentary:
    """An attribute of a node of pytest that an item has while it is run, and is made when it is asked for.

    A large fleet has half a million items; what pytest gives each of them would take as much memory as the
    results.
    """

    def __init__(self, make: "Callable[[CaseItem], object]") -> None:
        """`make` gives its value, once while the item is run."""
        self._make = make
        self._name = ""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    def __get__(self, item: "CaseItem", _owner: type | None = None) -> Any:
        running = item.running
        if running is None:
            return self._make(item)
        if self._name not in running:
            running[self._name] = self._make(item)
        return running[self._name]


class CaseItem(pytest.Item):
    """The item of one case; without fixtures, it costs half of a parametrized function.

    Attributes:
        case: the case.
        function: its test.
        result: what the reports say of the case; None before it was judged.
        running: what pytest keeps on it while it is run; None before and after.
    """

    __slots__ = ("_hooks", "_run", "case", "function", "result", "running")

    case: Case
    result: Attached | None
    function: Callable[[Judge], None]
    running: dict[str, object] | None
    _hooks: pluggy.HookRelay

    name: Any = _Momentary(lambda item: f"{item.function.__name__}[{item.case.id}]")
    keywords: Any = _Momentary(lambda item: item.named())
    own_markers: Any = _Momentary(lambda item: [_clause_mark(item.case.clause.id).mark])
    extra_keyword_matches: Any = _Momentary(lambda _: set[str]())
    stash: Any = _Momentary(lambda _: pytest.Stash())
    user_properties: Any = _Momentary(lambda _: list[tuple[str, object]]())
    _report_sections: Any = _Momentary(lambda _: list[tuple[str, str, str]]())

    def __init__(
        self, parent: pytest.Module, *, function: Callable[[Judge], None], run: ObservedRun, case: Case
    ) -> None:
        self.case, self.function, self._run, self._hooks = case, function, run, parent.ihook
        self.result = self.running = None
        # all else that the constructor of pytest sets is made when it is asked for
        self.parent, self.config, self.session, self.path = parent, parent.config, parent.session, parent.path

    @classmethod
    def of(
        cls, parent: pytest.Module, *, function: Callable[[Judge], None], run: ObservedRun, case: Case
    ) -> Self:
        """The item that judges a case of `run` by the test `function`; its mark is the clause, for -m."""
        return super().from_parent(parent, function=function, run=run, case=case)  # pyright: ignore[reportUnknownMemberType]  pytest types no keywords here

    @property
    def nodeid(self) -> str:
        """Its name after that of its module."""
        return f"{self.parent.nodeid if self.parent else ''}::{self.name}"

    def __hash__(self) -> int:
        """As any object: there are no two items of one case."""
        return id(self)

    def named(self) -> dict[str, Any]:
        """The words that select it: its own, and those of its module."""
        own = {self.name: True, "clause": _clause_mark(self.case.clause.id)}
        return {**(self.parent.keywords if self.parent else {}), **own}

    def runtest(self) -> None:
        """Calls the test, and attaches what was judged, whatever the outcome."""
        try:
            self.function(self._judge)
        finally:
            if self.result:
                self.stash[ATTACHED] = self.result

    def _judge(self, check: Check) -> None:
        """Judges the case, and turns the verdict into an outcome of pytest: passed, failed or skipped."""
        __tracebackhide__ = True
        judged = self._run.judge(self.case, check)
        self.result = judged.result
        if judged.crash:
            raise judged.crash
        if judged.verdict == "fail":
            exchanges = {answer.n: answer.exchange for answer in judged.proof}
            pytest.fail(account_of(cast("CaseResult", self.result), exchanges), pytrace=False)
        word = _SKIPPED.get(judged.verdict)
        if word:
            pytest.skip(f"{word}: {judged.message}")  # pytest has no other outcome without pass or fail

    def run(self) -> None:
        """Runs the item as pytest does, but without setup and teardown."""
        self.running = {}
        try:
            self.ihook.pytest_runtest_logstart(nodeid=self.nodeid, location=self.location)
            call = pytest.CallInfo[None].from_call(
                self.runtest, when="call", reraise=(KeyboardInterrupt, pytest.exit.Exception)
            )
            report = self.ihook.pytest_runtest_makereport(item=self, call=call)
            self.ihook.pytest_runtest_logreport(report=report)
            self.ihook.pytest_runtest_logfinish(nodeid=self.nodeid, location=self.location)
            if call.excinfo:  # the frames of its traceback hold it: only the collector would free them
                clear_frames(call.excinfo.tb)
            del call
        finally:
            self.running = None
            self.result = None  # it holds all that it rests on

    def report_of(self, call: pytest.CallInfo[None]) -> pytest.TestReport | None:
        """The report of a case that passed or was skipped; None where pytest has more to say.

        Of a test that was skipped, pytest looks for the line that did it, in every frame.
        """
        skipped = call.excinfo.value if call.excinfo else None
        if call.when == "collect" or (skipped and not isinstance(skipped, pytest.skip.Exception)):
            return None
        path, line, _ = self.reportinfo()
        return pytest.TestReport(  # pyright: ignore[reportUnknownMemberType]  pytest types no `extra`
            self.nodeid,
            self.location,
            {},
            "skipped" if skipped else "passed",
            (str(path), line + 1, f"Skipped: {skipped}") if skipped else None,
            call.when,
            duration=call.duration,
            start=call.start,
            stop=call.stop,
        )

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks of the module, which are the same for each of its items and slow to look up."""
        return self._hooks

    @property
    def location(self) -> tuple[str, int | None, str]:  # pyright: ignore[reportIncompatibleVariableOverride]  it is kept nowhere
        """The place of the test as pytest prints it: node, line counted from 0, name."""
        return self.parent.nodeid if self.parent else "", self.function.__code__.co_firstlineno - 1, self.name

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the test in its module."""
        return self.path, self.function.__code__.co_firstlineno - 1, self.name


@cache
def _clause_mark(clause: str) -> pytest.MarkDecorator:
    return pytest.mark.clause(id=clause)
