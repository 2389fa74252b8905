"""Servers whose harm may reach memory, a page, the terminal, a secret or what has to be put back: each leads
a whole command to what it declares.
"""

from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from conformance.mutants.hostile.servers import BY_NAME
from conformance.selftest.support.hostile_runs import HostileRun, judged, servers_of, troubles

AT_ONCE = 3
"""Runs at the same time in one process of the tests; most of the time each waits for its server."""


@pytest.fixture(scope="module")
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Mapping[str, Future[HostileRun]]]:
    """The runs against the servers that the tests name, some at a time."""
    directory = tmp_path_factory.mktemp("hostile")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield {
            name: pool.submit(judged, BY_NAME[name], directory / name)
            for name in servers_of(request.session.items, request.path)
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", [hostile.name for hostile in BY_NAME.values() if hostile.whole])
def test_hostile_server(name: str, runs: Mapping[str, Future[HostileRun]]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(troubles(runs[name].result())) == ""
