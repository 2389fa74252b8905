"""Servers whose harm ends in what judges: each leads a trial over sockets to what it declares."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from conformance.mutants.hostile.model import LIMIT_S
from conformance.mutants.hostile.servers import BY_NAME
from conformance.proof.outcomes import TrialOutcome
from conformance.proof.pool import judge_all
from conformance.selftest.support.hostile_runs import judged, servers_of, troubles

AT_ONCE = 4
"""Trials at the same time; most of the time each waits for its server."""


def outcome(name: str, directory: Path) -> TrialOutcome:
    """What is wrong with a run against a server."""
    return TrialOutcome("ended", {}, tuple(troubles(judged(BY_NAME[name], directory / name))))


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, TrialOutcome]:
    """What came of the runs against the servers that the tests name, some at a time."""
    names = servers_of(request.session.items, request.path)
    judge = partial(outcome, directory=tmp_path_factory.mktemp("hostile"))
    return judge_all(names, judge, workers=AT_ONCE, limit_s=LIMIT_S)


@pytest.mark.parametrize("name", [hostile.name for hostile in BY_NAME.values() if not hostile.whole])
def test_hostile_server(name: str, outcomes: Mapping[str, TrialOutcome]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(outcomes[name].faults) == ""
