"""The servers of the gym are the reference with one oddity each."""

import json
from typing import Any
from urllib.parse import quote

from catalog import keys
from conformance.gym.servers import Conforming, conforming_servers
from conformance.harness.answers.decoding import find
from conformance.mutants.registry import load_variants
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply, dump
from conformance.selftest.support.rows import for_each

SERVERS = {one.name: one for one in conforming_servers()}


def ask(service: Service, method: str, ha_id: str, key: str, value: Json = None) -> Reply:
    """The answer to a request about one key, under the segment that it names itself."""
    segment = "settings" if ".Setting." in key else "status"
    path = f"/api/homeappliances/{quote(ha_id, safe='')}/{segment}/{quote(key)}"
    return service.handle(Incoming(method, path, body=dump({"data": {"value": value}})))


def value_of(service: Service, ha_id: str, key: str) -> object:
    """The value that a read shows."""
    return json.loads(ask(service, "GET", ha_id, key).body)["data"]["value"]


def served(name: str) -> Service:
    """A server of the gym."""
    return SERVERS[name].oddity.served(name)()


@for_each([*SERVERS.values()])
def test_every_appliance_of_the_reference_is_there(server: Conforming) -> None:
    """Each is read and written, all its keys, and nothing breaks down: odd is what the oddity is about."""
    service = server.oddity.served(server.name)()
    assert service.appliances.keys() >= {spec.ha_id for spec in Service.fleet}
    for appliance in tuple(service.appliances.values()):
        for key, value in tuple(appliance.values.items()):
            entry, spelled = service.entries[key], service.spell(appliance, key)
            for written in (service.spell_value(appliance, entry, value), value is not True):
                ask(service, "GET", appliance.ha_id, spelled)
                ask(service, "PUT", appliance.ha_id, spelled, written)


@for_each([one for one in SERVERS.values() if one.sort == "bodies"])
def test_profile_says_where_values_are(server: Conforming) -> None:
    """A client that goes by the profile of a server finds its values, whatever the shape of a body."""
    service = server.oddity.served(server.name)()
    told: Any = truthful_profile(service, "http://hub.example")["answer"]
    body = json.loads(ask(service, "GET", "fridge-1", keys.CHILD_LOCK).body)
    assert find(body, told["value"]) is service.appliances["fridge-1"].values[keys.CHILD_LOCK]


def test_profile_says_what_such_a_server_needs() -> None:
    """Where a path is redirected, a client that goes by the profile follows."""
    told: Any = truthful_profile(served("redirects-are-followed"), "http://hub.example")
    assert told["http"] == {"follow_redirects": True}


def test_every_variant_that_answers_otherwise_is_there() -> None:
    """Few variants are odd in their profile, or in what they lack, alone."""
    assert len(SERVERS) > 350
    assert {"fridge-always-on", "key-said-to-be-the-value"}.isdisjoint(SERVERS)


def test_no_client_meets_what_somebody_could_dispute() -> None:
    """A description that is no string has line 21 against it, and is none of the servers."""
    disputed = {one.name for one in load_variants() if one.disputed}
    assert "description-by-language" in disputed
    assert disputed.isdisjoint(SERVERS)


def test_values_of_a_variant_are_put_upon_the_reference() -> None:
    """What the variant does not have stays as the reference has it."""
    oven = served("oven-in-standby")
    assert value_of(oven, "oven-1", keys.POWER_STATE) == keys.STANDBY
    assert value_of(oven, "oven-1", keys.OPERATION_STATE) == keys.INACTIVE
    assert value_of(oven, "oven-1", keys.OVEN_SABBATH) is False
    assert value_of(oven, "fridge-1", keys.SETPOINT) == 4


def test_keys_are_taken_away_where_that_is_odd() -> None:
    """A refrigerator without the unit of its temperatures has everything else."""
    fridge = served("celsius-by-default")
    assert ask(fridge, "GET", "fridge-1", keys.TEMPERATURE_UNIT).status == 409
    assert value_of(fridge, "fridge-1", keys.CHILD_LOCK) is False


def test_temperatures_of_another_unit_are_left_out() -> None:
    """Where a variant is in °F, the setpoints of the reference would be in the other unit."""
    fridge = served("fahrenheit-rounded")
    assert value_of(fridge, "fridge-1", keys.SETPOINT) == 39
    assert ask(fridge, "GET", "fridge-1", keys.CHILLER_SETPOINT).status == 409


def test_maker_is_called_as_wanted() -> None:
    """Unless its name is what is odd."""
    for name, maker in (("chunked", "BSH"), ("maker-named", "Acme")):
        service = SERVERS[name].oddity.served(name, vendor="BSH")()
        assert ask(service, "GET", "oven-1", f"{maker}.Common.Setting.ChildLock").status == 200


def test_an_oddity_is_a_part_of_another() -> None:
    """A machine that is off, and one that is off and says nothing; not the other way round."""
    less, more = SERVERS["off-and-readable"].oddity, SERVERS["off-and-silent"].oddity
    assert less.is_within(more)
    assert not more.is_within(less)
    assert not less.is_within(less)
