"""The pytest items of a run: one for each case."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, Self

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pluggy

    from conformance.cases import Judge
    from conformance.checks.case import Case
    from conformance.checks.premise import Check
    from conformance.runs.judging import Judged
    from conformance.runs.session import Session

_SKIPPED = {"inconclusive": "INCONC", "not_applicable": "NA", "not_judged": "NOT JUDGED"}
_NEEDS_TEARDOWN = ("xmlpath", "htmlpath")
"""The options --junitxml and --html of pytest, whose reports close a case at its teardown."""


class CaseJudge:
    """Judges one case of a session with the check that it is called with."""

    def __init__(self, session: Session, case: Case) -> None:
        """Judges nothing yet."""
        self._session = session
        self._judged: Judged | None = None
        self.case = case

    def __call__(self, check: Check) -> None:
        """Judges the case, and turns the verdict into an outcome of pytest: passed, failed or skipped."""
        __tracebackhide__ = True
        result = self._judged = self._session.judge(self.case, check)
        if result.crash:
            raise result.crash
        if result.verdict == "fail":
            pytest.fail(result.text, pytrace=False)
        word = _SKIPPED.get(result.verdict)
        if word:
            # pytest has no other outcome for a case without pass or fail
            pytest.skip(f"{word}: {result.message}")

    @property
    def properties(self) -> list[tuple[str, object]]:
        """What the report plugin reads of the case; empty before it was judged."""
        return self._judged.properties if self._judged else []


class CaseItem(pytest.Item):
    """The item of one case; without fixtures, it costs half of a parametrized function."""

    judge: CaseJudge
    function: Callable[[Judge], None]
    _hooks: pluggy.HookRelay

    @classmethod
    def of(
        cls, parent: pytest.Module, name: str, *, function: Callable[[Judge], None], judge: CaseJudge
    ) -> Self:
        """The item that calls the test `function` with `judge`; its mark is the clause, for -m."""
        item: Self = super().from_parent(parent, name=name)  # pyright: ignore[reportUnknownMemberType]  pytest types no keywords here
        item.judge, item.function, item._hooks = judge, function, parent.ihook
        item.add_marker(_clause_mark(judge.case.clause.id))
        return item

    def runtest(self) -> None:
        """Calls the test, and attaches what was judged, whatever the outcome."""
        try:
            self.function(self.judge)
        finally:
            self.user_properties.extend(self.judge.properties)

    def run(self) -> None:
        """Runs the item as pytest does, but without setup, and with a teardown only if a report needs one."""
        self.ihook.pytest_runtest_logstart(nodeid=self.nodeid, location=self.location)
        self._phase("call", self.runtest)
        if any(self.config.getoption(option, None) for option in _NEEDS_TEARDOWN):
            self._phase("teardown", lambda: None)
        self.ihook.pytest_runtest_logfinish(nodeid=self.nodeid, location=self.location)

    def _phase(self, when: Literal["call", "teardown"], act: Callable[[], None]) -> None:
        call = pytest.CallInfo[None].from_call(
            act, when=when, reraise=(KeyboardInterrupt, pytest.exit.Exception)
        )
        self.ihook.pytest_runtest_logreport(report=self.ihook.pytest_runtest_makereport(item=self, call=call))

    @property
    def ihook(self) -> pluggy.HookRelay:
        """The hooks of the module, which are the same for each of its items and slow to look up."""
        return self._hooks

    @cached_property
    def location(self) -> tuple[str, int | None, str]:
        """The place of the test as pytest prints it: node, line counted from 0, name."""
        return self.parent.nodeid if self.parent else "", self.function.__code__.co_firstlineno - 1, self.name

    def reportinfo(self) -> tuple[Path, int, str]:
        """The place of the test in its module."""
        return self.path, self.function.__code__.co_firstlineno - 1, self.name


@cache
def _clause_mark(clause: str) -> pytest.MarkDecorator:
    return pytest.mark.clause(id=clause)
