"""An anonymous report leaves nothing that tells whose target it is, in no spelling and in no file."""

import base64
import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from catalog.keys import MAP_NAMES
from catalog.loader import load_catalog
from conformance.mutants.fleets import ROBOT_NAMED
from conformance.mutants.registry import find_server
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session
from conformance.selftest.support.commands import command
from reports.anonymous.stand_ins import StandIns
from reports.changes.comparison import compare
from reports.changes.files import write_changes
from reports.changes.model import Baseline
from reports.results.file import RESULTS_FILE, render_results

HA_IDS = ("ANNA-HCS02/68 A40Ä", "anna.müller+robot-0815")
OWNER, SERIAL, NUMBER, MAC = "Anna Müller", 'SN"68A40E-00\\17', 680044117733, "68:A4:0E:00:11:99"
MAP, TARGET, PREFIX = "Annas Wohnzimmer", 'Annas Hub "Süd"', "/mieter-0815"
FAULTS = ("booleans-as-words", "nearest-key", "any-ha-id", "ha-id-by-prefix")
"""A fault whose findings quote what is wrong, and those by which requests about nobody are answered."""
SECRETS = (
    *HA_IDS,
    OWNER,
    SERIAL,
    str(NUMBER),
    MAC,
    MAP,
    TARGET,
    PREFIX,
    "127.0.0.1",
    "Team Anna",
    "Serie 0815",
)


def telling() -> type[Service]:
    """A server with the faults of several mutants, that tells everything about its owner in each answer."""

    class Telling(Service):
        fleet: ClassVar[tuple[ApplianceSpec, ...]] = tuple(
            replace(spec, ha_id=ha_id)
            for spec, ha_id in zip((HOOD_COLORFUL, named(ROBOT_NAMED)), HA_IDS, strict=True)
        )

        def answer(self, request: Incoming) -> Reply:
            reply = super().answer(request)
            if reply.status >= 400 and len(request.path) % 2:
                return replace(reply, body=f"{OWNER}: {HA_IDS[0]} ({MAC}) is asleep".encode())
            return replace(reply, body=telling_body(reply.body)) if reply.body.startswith(b"{") else reply

    faulty: Any = type("Faulty", (Telling, *map(find_server, FAULTS)), {})
    return faulty


def named(robot: ApplianceSpec) -> ApplianceSpec:
    """The robot with a map that is called like a room of somebody."""
    return replace(robot, values={**robot.values, **dict.fromkeys(MAP_NAMES[:1], MAP)})


def telling_body(body: bytes) -> bytes:
    """A body with members that name the owner, her appliance and her network."""
    more = {
        "owner": OWNER,
        "serial": SERIAL,
        "number": NUMBER,
        "network": [MAC, {HA_IDS[1]: OWNER}],
        "token": base64.b64encode(f"{HA_IDS[0]}|{OWNER}".encode()).decode(),
        "inner": json.dumps({"serial": SERIAL}),
    }
    return json.dumps({**json.loads(body), **more}).encode()


def spellings(secret: str) -> Iterator[str]:
    """A secret as it may stand in a page, a script, JSON, a path, and in base64 behind any other text."""
    yield from (secret, html.escape(secret), quote(secret), quote(secret, safe=""), quote(secret).lower())
    for plain in (True, False):
        once = json.dumps(secret, ensure_ascii=plain)[1:-1]
        yield from (once, json.dumps(once, ensure_ascii=plain)[1:-1], html.escape(once))
    for before in (b"", b"x", b"xx"):
        yield base64.b64encode(before + secret.encode())[4:-4].decode()


@pytest.fixture(scope="module")
def posted(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The files of `report --anonymous` of a run at level power, by name."""
    here = tmp_path_factory.mktemp("telling")
    service = telling()()
    data: dict[str, Any] = {**truthful_profile(service, f"{BASE_URL}{PREFIX}")}
    data["target"] = {**data["target"], "name": TARGET, "product": "Serie 0815"}
    data["pace"] = {"generated_reads": 40, "generated_writes": 4}
    data["waiver"] = [
        {"case": "RANGE-*@ANNA*", "reason": OWNER, "owner": "Team Anna", "expires": "2999-01-31"}
    ]
    network = network_of({PREFIX: service})
    results = judged_in(Session(build_profile(data), here / "out", "power", network=network))
    typed = replace(results, run=replace(results.run, argv=("run", f"{OWNER}.toml")))
    (here / "out" / RESULTS_FILE).write_text("".join(render_results(typed)), encoding="utf-8")
    assert results.verdict == "fail"
    sound = tuple(replace(case, verdict="pass") for case in typed.cases)
    write_changes(compare(Baseline(replace(typed, cases=sound, findings=())), typed), here / "out")
    assert json.dumps(OWNER)[1:-1] in (here / "out" / LEDGER_FILE).read_text(encoding="utf-8")
    made = command("report", str(here / "out"), "--anonymous", "-o", str(here / "posted"))
    assert made.code == 0, made.output
    return {path.name: path.read_text(encoding="utf-8") for path in (here / "posted").iterdir()}


def test_nothing_is_left(posted: Mapping[str, str]) -> None:
    """No file holds a haId, the host, a name or a serial number, however it is spelled."""
    assert {"results.json", "report.html", "ctrf.json", "summary.md", "changes.json"} <= set(posted)
    spelt = {one.lower() for secret in SECRETS for one in spellings(secret) if len(one) > 3}
    for name, text in posted.items():
        lowered = text.lower()
        assert {one for one in spelt if one in lowered} == set(), name


def test_what_is_left_can_be_read(posted: Mapping[str, str]) -> None:
    """Verdicts, clauses and the values of the document stay, and each appliance keeps its stand-in."""
    results = json.loads(posted["results.json"])
    assert {case["ha_id"] for case in results["cases"]} >= {"appliance-1", "appliance-2"}
    assert results["target"]["base_url"] == "https://target.example"
    assert "Vendor.Common.Setting.PowerState@appliance-1" in posted["results.json"]
    assert "This report is anonymous" in posted["report.html"]
    assert '"argv": []' in posted["results.json"]


HOOD = StandIns(load_catalog(), "http://hub.anna.example:8080/x", ["HOOD-0007", "f"])


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ('value is "On", document says Boolean', 'value is "On", document says Boolean'),
        ('value is "Acme.Common.EnumType.PowerState.On"', 'value is "Acme.Common.EnumType.PowerState.On"'),
        ('value is "Annas"', 'value is "text 1"'),
        ('value is "Annas', 'value is "text 1"'),
        ("GET http://hub.anna.example:8080/x/api/homeappliances/hood%2D0007/settings/K", None),
        ("GET /x/api/homeappliances/HOOD-000/settings/K", "GET /api/homeappliances/another-haId/settings/K"),
        ("redirected to https://login.anna.example/?u=7", "redirected to https://elsewhere.example"),
        ("the target itself fails (status 503, Annas hub is asleep)", "the target itself fails (status 503)"),
        ("got nothing (dns: no hub.lan)", "got nothing (dns)"),
        ("it is 38341, 9007199254740993 and 10.0.0.7", "it is 38341, (id) and (id)"),
        ("TYPE-INTEGER::K@f fails", "TYPE-INTEGER::K@appliance-2 fails"),
        ("of RX12345678 for anna@example.org", "of (id) for (id)"),
    ],
)
def test_text_is_hidden(text: str, hidden: str | None) -> None:
    """What is quoted or looks like an address or an id has a stand-in; the document's own words stay."""
    shown = HOOD.hide(text)
    assert shown == (hidden or "GET https://target.example/api/homeappliances/appliance-1/settings/K")


@pytest.mark.parametrize(
    ("sent", "said_of_it"),
    [
        ('{"room": "Annas Flur"}', "Annas Flur is asleep"),
        ('{"Annas Flur": 1}', "annas flur is asleep"),
        ("Annas Flur", "ANNAS%20FLUR is asleep"),
        ('{"inner": "{\\"room\\": \\"Annas Flur\\"}"}', "Annas Flur is asleep"),
    ],
)
def test_what_was_sent_is_hidden_without_quotation_marks(sent: str, said_of_it: str) -> None:
    """A text of the target has its stand-in also where a report tells it in its own sentence."""
    stand_ins = StandIns(load_catalog(), "http://hub", [])
    stand_ins.learn(sent)
    assert re.fullmatch(r"text \d+ is asleep", stand_ins.hide(said_of_it))
