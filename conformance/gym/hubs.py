"""What the fixture `conforming_hub` gives to a test of a client: an item and a server for each oddity."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec import Struct

from conformance.gym.servers import Conforming, conforming_servers
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve


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


def parametrize(metafunc: pytest.Metafunc, fixture: str) -> None:
    """Makes one item for each server of a test; its id holds the sort and the name of the server."""
    servers = conforming_servers()
    metafunc.parametrize(fixture, servers, indirect=True, ids=[f"{one.sort}-{one.name}" for one in servers])


@contextmanager
def served_hub(server: Conforming, place: Path) -> Generator[ConformingHub]:
    """A new server with the appliances of the reference and one oddity; its profile lies in `place`."""
    service = server.oddity.served(server.name)()
    with serve({server.name: service}) as address:
        base_url, profile = f"{address}/{server.name}", place / "hub.toml"
        profile.write_text(toml_of(truthful_profile(service, base_url)), encoding="utf-8")
        yield ConformingHub(base_url, profile, server.what, str(server.allowed))
