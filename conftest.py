"""Bare `pytest` judges the reference, as `appliance-conformance run` does."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from conformance.commands.options import LATEST
from conformance.runs.admission.admitting import admitted
from conformance.runs.asked import Asked
from conformance.runs.processes.driving import MISTAKES, Driving
from conformance.runs.processes.outlets import printable
from conformance.runs.targets import DEFAULT, profile_of


def _judges(config: pytest.Config) -> bool:
    """Whether the session judges a target; the suite's own tests do not."""
    selftest = Path(__file__).parent / "conformance" / "selftest"
    paths = (Path(argument.partition("::")[0]).resolve() for argument in config.args)
    return not any(path.is_relative_to(selftest) for path in paths)


def pytest_configure(config: pytest.Config) -> None:
    """Holds the directory of the files, and lets the session judge."""
    if not _judges(config):
        return
    asked = Asked(DEFAULT, LATEST, typed=("pytest", *map(str, config.invocation_params.args)))
    stack = ExitStack()
    config.add_cleanup(stack.close)
    try:
        stack.enter_context(admitted(asked.out, profile_of(DEFAULT), "power", state=None))
    except MISTAKES as error:
        raise pytest.UsageError(printable(str(error))) from None
    config.pluginmanager.register(Driving(asked))
