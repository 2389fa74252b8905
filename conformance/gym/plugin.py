"""A plug-in of pytest for the tests of a client: `conforming_hub` makes of a test one for each odd server.

`pytest -p conformance.gym.plugin` loads it. The id of an item holds the sort and the name of the server, so
that `-k integers-with-point` selects one.
"""

from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec import Struct

from conformance.gym.servers import Conforming, conforming_servers
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve

FIXTURE = "conforming_hub"


class ConformingHub(Struct, frozen=True):
    """A server that conforms, and runs as long as the test.

    Attributes:
        base_url: where it is, a base path included.
        profile: a profile of it.
        what: what is odd about it.
        allowed: the sentence of the document, or its silence, that allows the oddity.
    """

    base_url: str
    profile: Path
    what: str
    allowed: str


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes one item for each server of a test that uses the fixture."""
    if FIXTURE in metafunc.fixturenames:
        servers = conforming_servers()
        metafunc.parametrize(
            FIXTURE, servers, indirect=True, ids=[f"{one.sort}-{one.name}" for one in servers]
        )


@pytest.fixture
def conforming_hub(request: pytest.FixtureRequest, tmp_path: Path) -> Generator[ConformingHub]:
    """A server with the appliances of the reference and one oddity, that is new to each test."""
    server: Conforming = request.param
    service = server.oddity.served(server.name)()
    with serve({server.name: service}) as address:
        base_url, profile = f"{address}/{server.name}", tmp_path / "hub.toml"
        profile.write_text(toml_of(truthful_profile(service, base_url)), encoding="utf-8")
        yield ConformingHub(base_url, profile, server.what, "; ".join(map(str, server.allowed)))
