"""The plug-in of pytest: records what the user's own tests exchange with a target, and has it judged.

Without `--judge-target`, and a test that uses `conforming_hub`, it does nothing, and has imported nothing.
What was recorded travels with the reports of tests, so that processes of pytest-xdist record, and the one
that started them has everything judged.
"""

from __future__ import annotations

import json
import subprocess
from contextlib import ExitStack
from subprocess import PIPE, STDOUT
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from appliance_conformance_recording import Record

    from conformance.gym.hubs import ConformingHub

_HUB: Final = "conforming_hub"
_CARRIED: Final = "appliance_conformance_recorded"
_INCONCLUSIVE: Final = 3
_HINT: Final = "httpx and requests sent nothing; for other clients there is appliance-conformance record"
_WHOLE: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a session that is judged."""
    group = parser.getgroup("appliance conformance", "evidence for appliance-conformance")
    group.addoption(
        "--judge-target",
        metavar="TARGET",
        help=(
            "record what httpx and requests exchange with TARGET, a base URL or a profile, and judge it at"
            " the end, as appliance-conformance judge does. The session fails where the target does not"
            " conform, or nothing was recorded."
        ),
    )
    group.addoption(
        "--judge-out", metavar="DIR", default="reports/out/latest", help="the directory of the report"
    )
    group.addoption(
        "--judge-report-only", action="store_true", help="leave the exit code to the tests, whatever is found"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes an item for each conforming server of a test that asks for one."""
    if _HUB in metafunc.fixturenames:
        from conformance.gym.hubs import parametrize  # noqa: PLC0415  it imports all servers

        parametrize(metafunc, _HUB)


@pytest.fixture(name=_HUB)
def conforming_hub(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ConformingHub]:
    """A server that conforms and is odd in one thing: its base_url, profile, what is odd, what allows it."""
    from conformance.gym.hubs import served_hub  # noqa: PLC0415  as above

    with served_hub(request.param, tmp_path) as hub:
        yield hub


def pytest_configure(config: pytest.Config) -> None:
    """Begins to record, where that is asked for."""
    target: str | None = config.getoption("--judge-target")
    if not target or config.option.collectonly:
        return
    from appliance_conformance_clients import recording  # noqa: PLC0415  it imports httpx
    from appliance_conformance_recording import base_url_of, is_url, suite  # noqa: PLC0415  it does so, too

    is_worker = hasattr(config, "workerinput")
    stack = ExitStack()
    config.add_cleanup(stack.close)
    try:
        record = stack.enter_context(recording(base_url_of(target)))
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"--judge-target {target}: {error}") from None
    if not is_url(target) and not is_worker:
        checked = _ended(suite("check", target), config.invocation_params.dir)
        if checked.returncode:
            raise pytest.UsageError(f"--judge-target {checked.stdout.strip()}")
    config.pluginmanager.register(
        RecordedTests(record) if is_worker else JudgedSession(record, target, config)
    )


def _ended(command: list[str], place: Path, text: str = "") -> subprocess.CompletedProcess[str]:
    """A command of the suite, which has read a text; it says everything on one stream."""
    return subprocess.run(  # noqa: S603  it is our own
        command, cwd=place, input=text, stdout=PIPE, stderr=STDOUT, text=True, errors="replace", check=False
    )


class RecordedTests:
    """What a process does that runs tests: each report takes along what was recorded since the last one."""

    def __init__(self, record: Record) -> None:
        """With the record of this process."""
        self.record = record

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Gives the report what was recorded."""
        report = yield
        if drained := self.record.drained():
            setattr(report, _CARRIED, drained)
        return report


class JudgedSession(RecordedTests):
    """What the process of the session does besides: it gathers what was recorded, and has it judged."""

    def __init__(self, record: Record, target: str, config: pytest.Config) -> None:
        """`target` is a base URL or a profile; where the report goes stands in the options."""
        super().__init__(record)
        self._gathered = type(record)(record.base_url)
        self._target, self._out = target, str(config.getoption("--judge-out"))
        self._place = config.invocation_params.dir  # tests may change the working directory
        self._said: list[str] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Takes what a report carries away from it, before anybody writes reports into a file."""
        self._gathered.add(report.__dict__.pop(_CARRIED, {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Has everything judged; a session whose tests have passed ends with 1 where that is no good end."""
        self._gathered.add(self.record.drained())
        self._said += self._gathered.in_words(_HINT)
        if exitstatus not in _WHOLE:
            self._said.append("the session was cut off: nothing is judged")
        elif not self._is_good() and exitstatus == pytest.ExitCode.OK:
            if session.config.getoption("--judge-report-only"):
                self._said.append("the exit code is that of the tests (--judge-report-only)")
            else:
                self._said.append("the tests passed; the session fails, unless --judge-report-only is given")
                session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _is_good(self) -> bool:
        """Whether nothing contradicts the document, and something is known."""
        if not self._gathered.lines:
            return False
        from appliance_conformance_recording import judging  # noqa: PLC0415  as above

        done = _ended(judging(self._target, self._out), self._place, "\n".join(self._gathered.lines))
        self._said += done.stdout.splitlines()
        if done.returncode != _INCONCLUSIVE:
            return done.returncode == 0
        counts = json.loads((self._place / self._out / "results.json").read_bytes())["counts"]
        return counts["pass"] > 0

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Says what was judged."""
        terminalreporter.section("appliance conformance")
        for line in self._said:
            terminalreporter.write_line(line)
