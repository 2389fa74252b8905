"""Unearned servers are well-named, told in a sentence, and there is one for each rule on green."""

import re

import pytest

from catalog.loader import load_catalog
from conformance.mutants.model import Ground, Unearned
from conformance.mutants.registry import load_unearned
from conformance.selftest.support.records import for_each

CATALOG = load_catalog()
SERVERS = load_unearned()

each_server = for_each(SERVERS)


@pytest.mark.parametrize("ground", Ground)
def test_a_rule_on_green_has_a_server(ground: Ground) -> None:
    """Each rule is a sentence, and a green run of one of the servers would break it."""
    assert re.fullmatch(r"[A-Z].+\.", ground.value)
    assert ground in {server.ground for server in SERVERS}


def test_access_is_lost_at_many_places() -> None:
    """A token expires after sixty different numbers of requests, and there are thirty other servers."""
    expiring = [server for server in SERVERS if server.name.startswith("token-expires-after-")]
    assert len(expiring) == 60
    assert len(SERVERS) - len(expiring) >= 30


@each_server
def test_a_server_has_a_name_of_words_and_a_sentence(server: Unearned) -> None:
    """A name is made of lower-case words, and the service knows it."""
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", server.name)
    assert re.fullmatch(r"[A-Z].+\.", server.what)
    assert server.service.name == server.name


@each_server
def test_guards_are_clauses_that_can_fail(server: Unearned) -> None:
    """Each names a clause of the catalog, perhaps with one of its keys."""
    for guard in server.guards:
        clause, _, key = guard.partition("::")
        assert CATALOG.clauses[clause].can_fail
        assert not key or key in CATALOG.entries


@each_server
def test_green_is_qualified_or_not_there(server: Unearned) -> None:
    """A server that may have a certificate says in what words the run is told; each says how it may end."""
    assert server.ends
    assert not server.certified or server.headline


def test_servers_are_told_apart() -> None:
    """No two have one name, or are told in one sentence."""
    assert len({server.what for server in SERVERS}) == len(SERVERS)
    assert len({server.name for server in SERVERS}) == len(SERVERS)
