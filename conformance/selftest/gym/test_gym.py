"""gym and conforming_hub: a client is run once on each server, and what breaks it is said."""

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest

from catalog import keys
from conformance.gym import meeting
from conformance.gym.commands import Commands
from conformance.gym.meeting import play
from conformance.gym.servers import Conforming, conforming_servers
from conformance.harness.answers.decoding import find
from conformance.mutants import document
from conformance.mutants.hostile.servers import BY_NAME
from conformance.mutants.registry import load_variants
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply, dump
from conformance.selftest.support.commands import command, is_running, wait_until
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.rows import for_each
from reports.survival import render_gym

CLIENT = """
import json, os, sys, urllib.request
base = os.environ["APPLIANCE_BASE_URL"]
def value(path):
    with urllib.request.urlopen(base + "/api/homeappliances/" + path) as answer:
        return json.load(answer)["data"]["value"]
"""
READS = """
clock = value("oven-1/settings/Vendor.Common.Setting.AlarmClock")
assert type(clock) is int, f"{clock} is no int"
value("dishwasher-1/status/Vendor.Common.Status.DoorState")
assert value("dishwasher-1/settings/Vendor.Common.Setting.PowerState").endswith(".On")
"""
ONLY = ("chunked", "integers-with-point", "off-and-silent", "off-hangs-up", "off-and-readable")


@pytest.fixture
def client(tmp_path: Path) -> Path:
    """A client that takes integers for int, and a machine for on, whose door it reads in any case."""
    path = tmp_path / "client.py"
    path.write_text(CLIENT + READS, encoding="utf-8")
    return path


def gym(out: Path, client: Path, *words: str, only: tuple[str, ...] = ("chunked",)) -> Ran:
    """`appliance-conformance gym` with a client in Python."""
    options = [word for name in only for word in ("--only", name)]
    return command("gym", "--out", str(out), *options, *words, "--", sys.executable, "-I", "-S", str(client))


def test_what_breaks_the_client_is_said_with_its_sentence(
    client: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the terminal by sort, as a page, and as JUnit; survivors are in the page and in JUnit alone. What
    has an oddity and more is told under the smaller one.
    """
    monkeypatch.setattr(meeting, "_AGAIN", 0)
    ended = gym(tmp_path / "out", client, only=ONLY)
    assert ended.code == 1
    assert "Of 6 servers 5 break it." in ended.output
    said_of = f"{document.NUMBERS}\n    integers-with-point: Integers are written 5.0.\n      exit code 1\n"
    assert said_of in ended.output
    assert "      AssertionError: 0.0 is no int" in ended.output
    page = (tmp_path / "out" / "gym.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert re.search(r"<h4>Integers are written 5\.0\. <small>integers-with-point</small></h4>", page)
    assert "0.0 is no int" in page
    assert "chunked" in page
    tests = {test.attrib["name"]: test for test in ET.parse(tmp_path / "out" / "junit.xml").iter("testcase")}
    assert {name for name, test in tests.items() if test.find("failure") is not None} == {
        "integers-with-point",
        "integers-with-point-not-taken",
        "off-and-silent",
        "off-hangs-up",
        "off-and-readable",
    }
    assert "with this and more: off-and-silent, off-hangs-up" in ended.output
    assert "    off-and-silent:" not in ended.output
    assert "line 78" in ET.tostring(tests["off-and-silent"], encoding="unicode")
    assert tests.keys() == {*ONLY, "integers-with-point-not-taken"}


@pytest.mark.parametrize(
    ("text", "limit_s", "why"),
    [
        ("raise SystemExit('broken client')", 60, "on the reference it fails: exit code 1"),
        ("", 60, "it asked nothing of the reference"),
        ("import time; time.sleep(60)", 0.5, "on the reference it does not end in time"),
    ],
)
def test_nothing_is_said_where_the_reference_is_not_survived(
    text: str, limit_s: float, why: str, tmp_path: Path
) -> None:
    """Such a client would fail anywhere, or nowhere; its last words are shown, and no page is written."""
    client = tmp_path / "client.py"
    client.write_text(text, encoding="utf-8")
    ended = gym(tmp_path / "out", client, "--timeout", str(limit_s))
    assert (ended.code, why in ended.output) == (2, True)
    assert not (tmp_path / "out").exists()


def test_flaky_is_not_broken(client: Path, tmp_path: Path) -> None:
    """A client that fails when it meets a server first, and then no more, is flaky there."""
    seen = f"place = {str(tmp_path)!r} + '/' + base.rpartition('/')[2]\n"
    first = "if 'reference' not in base and not os.path.exists(place): open(place, 'w'); sys.exit(1)\n"
    client.write_text(CLIENT + READS + seen + first, encoding="utf-8")
    ended = gym(tmp_path / "out", client)
    assert (ended.code, "flaky" in ended.output) == (0, True)
    assert "It survives 1 server, 1 of them not every time." in ended.output


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A link that a client makes to the number of what it has started, before it waits for that for ever.

    The time that a client may take is over as soon as the link is there, and never before.
    """
    link, wait = tmp_path / "started", vars(subprocess.Popen)["wait"]

    def wait_or_see(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
        while timeout is not None and not link.is_symlink():
            with suppress(subprocess.TimeoutExpired):
                return wait(process, 0.02)
        if timeout is not None:
            raise subprocess.TimeoutExpired(process.args, timeout)
        return wait(process)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_or_see)
    return link


WAITS = """    import subprocess
    started = subprocess.Popen(["sleep", "6000"])
    os.symlink(str(started.pid), {link!r})
    started.wait()
"""


def test_command_that_does_not_end_is_killed_with_what_it_started(
    client: Path, started: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that waits for ever where an Integer has a point; what it has started is gone, too."""
    monkeypatch.setattr(meeting, "_AGAIN", 0)
    waits = f"if type(clock) is not int:\n{WAITS.format(link=str(started))}"
    client.write_text(CLIENT + READS.partition("assert")[0] + waits, encoding="utf-8")
    ended = gym(tmp_path / "out", client, only=("numbers-with-exponent",))
    assert (ended.code, "it did not end in time" in ended.output) == (1, True)
    wait_until(lambda: not is_running(started.readlink().name))


def test_hostile_server_is_survived_by_ending(client: Path, started: Path) -> None:
    """A client that fails on a number that is none has survived it; one that waits for ever on it has not."""
    read = "value('oven-1/settings/Vendor.Common.Setting.AlarmClock')"
    waits = f"if {read} != {read}:\n{WAITS.format(link=str(started))}"  # NaN is not what it was
    client.write_text(CLIENT + waits + READS, encoding="utf-8")
    commands = Commands([sys.executable, "-I", "-S", str(client)], 60, 1)
    hostile = [BY_NAME[name] for name in ("reset-on-accept", "number-nan")]
    survived = play(commands, ["client"], (), hostile=hostile, told=str)
    assert [one.survival for one in survived.servers] == ["survived", "broke"]
    assert "Each of these servers, except the hostile ones, conforms" in render_gym(survived)


# conforming_hub: a test of a client is an item for each conforming server.
TEST = """
import json, urllib.request

def test_clock(conforming_hub):
    path = "/api/homeappliances/oven-1/settings/Vendor.Common.Setting.AlarmClock"
    with urllib.request.urlopen(conforming_hub.base_url + path) as answer:
        value = json.load(answer)["data"]["value"]
    assert conforming_hub.base_url in conforming_hub.profile.read_text()
    assert type(value) is int, f"{conforming_hub.what} {conforming_hub.allowed}"
"""


def test_a_test_is_an_item_for_each_server(tmp_path: Path) -> None:
    """Of all of them two are selected, of which one is not survived, for a reason that is shown."""
    (tmp_path / "test_client.py").write_text(TEST, encoding="utf-8")
    words = ["-m", "pytest", "-q", "-p", "appliance_conformance_plugin"]
    bare = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the others that are installed here take two seconds
    ran = command(*words, "-k", "values-chunked or numbers-with-exponent", directory=tmp_path, env=bare)
    left = len(conforming_servers()) - 2
    assert (ran.code, f"1 failed, 1 passed, {left} deselected" in ran.output) == (1, True), ran.output
    assert "silent: no line says how a number is written" in ran.output


# The servers of the gym are the reference with one oddity each.
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
    """Each is read and written, all its keys, the last with a value of any type as well, and nothing breaks
    down: odd is what the oddity is about.
    """
    service = server.oddity.served(server.name)()
    assert service.appliances.keys() >= {spec.ha_id for spec in Service.fleet}
    for appliance in tuple(service.appliances.values()):
        spelled = ""
        for key, value in tuple(appliance.values.items()):
            entry, spelled = service.entries[key], service.spell(appliance, key)
            ask(service, "GET", appliance.ha_id, spelled)
            ask(service, "PUT", appliance.ha_id, spelled, service.spell_value(appliance, entry, value))
        for written in (True, "a", 0.5, None):
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
