"""What is told of findings: one defect once, equal reasons together, and nothing of whose target it is
where a report is to be anonymous.
"""

import base64
import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from catalog.keys import MAP_NAME_1
from conformance.mutants.fleets import ROBOT_NAMED
from conformance.mutants.registry import find_server
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import CaseResult, DecidingExchange
from conformance.records.run_facts import JudgedAppliance
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session
from conformance.selftest.support.commands import command
from conformance.selftest.support.results import FRIDGE, a_case
from reports.anonymous.stand_ins import StandIns
from reports.changes.comparison import compare
from reports.changes.files import write_changes
from reports.changes.model import Baseline
from reports.phrases import by_reason, mask
from reports.results.file import RESULTS_FILE, render_results
from reports.results.findings import findings_of

OVEN = JudgedAppliance("oven-1", "Oven")
LOCK, CLOCK, POWER = (f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "AlarmClock", "PowerState"))
OPERATION, REMOTE = "Vendor.Common.Status.OperationState", "Vendor.Common.Status.RemoteControlActive"


def failed(
    clause: str, key: str = LOCK, appliance: JudgedAppliance = FRIDGE, manner: str = "", **seen: Any
) -> CaseResult:
    """A failed case; exchange 7 decides it, a value of its own key, unless another sight is given."""
    sight = replace(DecidingExchange(7, appliance.ha_id, seen.pop("of", key), "value"), **seen)
    return replace(
        a_case(clause, "fail", key, appliance, message=f"{clause} of {key}"), sights=(sight,), manner=manner
    )


TEXT: dict[str, Any] = {"type": "string"}
REFUSED: dict[str, Any] = {"outcome": "refused", "status": 404}
HOLDS = a_case("TYPE-BOOLEAN", "pass", REMOTE)
# fmt: off
ONE = {
    "two clauses on one answer": (failed("ENUM-KEYFORM", POWER), failed("ENUM-POWERSTATE", POWER)),
    "two clauses on one fact of a key": (failed("READ-SETTING", exchange=4, **REFUSED),
        failed("ADDR-SEG-SETTINGS", exchange=27)),
    "two keys that judge one fact": (failed("PWR-READBACK", POWER, of=OPERATION),
        failed("OPS-READY", OPERATION, exchange=8)),
    "a chain of partners": (failed("OPS-READY", OPERATION),
        failed("PWR-READBACK", POWER, of=OPERATION, exchange=8),
        failed("OPS-INACTIVE", OPERATION, exchange=9)),
    "a power state that reads stale": (failed("OPS-INACTIVE", OPERATION, of=POWER),
        failed("PWR-ON-OFF", POWER)),
    "one key of two appliances": (failed("TYPE-BOOLEAN", **TEXT),
        failed("TYPE-BOOLEAN", appliance=OVEN, **TEXT), HOLDS),
    "a key, and generated values of it": (failed("RANGE-WRITE-OUT", CLOCK),
        failed("RANGE-WRITE-OUT", "~generated", of=CLOCK, exchange=9)),
    "every key of an appliance": (failed("TYPE-BOOLEAN", **TEXT), failed("TYPE-BOOLEAN", REMOTE, **TEXT)),
    "every key of a segment": (failed("ADDR-KEY-LAST"), failed("ADDR-KEY-LAST", CLOCK),
        a_case("ADDR-KEY-LAST", "pass", REMOTE)),
}
TWO = {
    "clauses that have nothing to do with each other": (failed("TYPE-BOOLEAN", **TEXT),
        failed("READ-REPEAT")),
    "partners on two answers": (failed("ENUM-KEYFORM", POWER), failed("ENUM-POWERSTATE", POWER, exchange=8)),
    "partners on two keys": (failed("READ-SETTING", **REFUSED),
        failed("READ-VALUE", CLOCK, outcome="the body is malformed")),
    "partners on two appliances": (failed("READ-SETTING", **REFUSED), failed("READ-VALUE", appliance=OVEN)),
    "one key, two kinds of answer": (failed("READ-SETTING", **REFUSED),
        failed("READ-SETTING", appliance=OVEN, outcome="no response")),
    "one key, two manners": (failed("RANGE-ALARMCLOCK", CLOCK, manner="above the range"),
        failed("RANGE-ALARMCLOCK", CLOCK, OVEN, manner="below the range")),
    "two keys of an appliance of which a third is right": (failed("TYPE-BOOLEAN", **TEXT),
        failed("TYPE-BOOLEAN", REMOTE, **TEXT),
        a_case("TYPE-BOOLEAN", "pass", "Vendor.Common.Setting.AmbientLightEnabled"),
        a_case("TYPE-BOOLEAN", "pass", "Vendor.Common.Status.LocalControlActive")),
    "a key, and generated values of another": (failed("SET-TYPEGUARD", CLOCK),
        failed("SET-TYPEGUARD", "~generated", of=LOCK, exchange=9, **TEXT)),
    "a waived one beside one that is not": (failed("TYPE-BOOLEAN", **TEXT),
        replace(failed("TYPE-BOOLEAN", appliance=OVEN), waived=True)),
    "cases of which nothing is known": (a_case("TYPE-BOOLEAN", "fail", LOCK),
        a_case("TYPE-BOOLEAN", "fail", LOCK, OVEN)),
}
# fmt: on


@pytest.mark.parametrize("name", ONE)
def test_one_fact_is_one_finding(name: str) -> None:
    """Cases that clauses and answers show to be one fact are one finding."""
    (finding,) = findings_of(ONE[name])
    assert finding.cases == tuple(case.id for case in ONE[name] if case.verdict == "fail")
    assert finding.case == ONE[name][0].id


@pytest.mark.parametrize("name", TWO)
def test_two_faults_are_two_findings(name: str) -> None:
    """What may be two faults that look alike is not merged."""
    assert len(findings_of(TWO[name])) == 2


ON, ONE_OVEN = "Vendor.Common.EnumType.PowerState.On", JudgedAppliance("one", "Oven")
REASONS = {
    f"{POWER} gave no answer": "<key> gave no answer",
    "PowerState of one was not read": "<key> of <haId> was not read",
    "no one else answered: none, phone, one-2, PowerState2": (
        "no <haId> else answered: none, phone, one-2, PowerState2"
    ),
    f'"{ON}" is PowerState.': f'"{ON}" is <key>.',
    f"unit is {ON}": f"unit is {ON}",
    r'a name "say \" one \" twice" for one': r'a name "say \" one \" twice" for <haId>',
}
"""A reason as a case gives it, and as it stands where equal reasons are counted together."""


@pytest.mark.parametrize("said", REASONS)
def test_reason_is_folded_without_touching_values(said: str) -> None:
    """The case's own key and appliance are replaced as whole words, and not in values."""
    case = a_case("PWR-READBACK", "inconclusive", POWER, ONE_OVEN, message=said)
    assert mask(case) == REASONS[said]


OTHER = JudgedAppliance("two", "Oven")
COUNTED: dict[str, tuple[list[tuple[str, JudgedAppliance, str]], list[tuple[str, int]]]] = {
    "one key, in the cases of two, and each of its own": (
        [
            *((key, ONE_OVEN, "ChildLock of one was not put back") for key in (POWER, LOCK, POWER)),
            *((key, ONE_OVEN, f"{key} was not read") for key in (POWER, LOCK)),
        ],
        [("ChildLock of one was not put back", 3), ("<key> was not read", 2)],
    ),
    "one key of two appliances, and one of one": (
        [
            *((LOCK, one, f"ChildLock of {one.ha_id} is off") for one in (ONE_OVEN, OTHER)),
            (POWER, ONE_OVEN, "PowerState of one was not read"),
        ],
        [("ChildLock of <haId> is off", 2), ("PowerState of one was not read", 1)],
    ),
}
"""Key, appliance and reason of cases, and what is counted of them."""


@pytest.mark.parametrize("name", COUNTED)
def test_reason_names_what_all_its_cases_name(name: str) -> None:
    """A key, or an appliance, is left out of a reason only where its cases name different ones."""
    said, counted = COUNTED[name]
    cases = [a_case("SET-WRITABLE", "inconclusive", key, one, message=words) for key, one, words in said]
    assert [(reason, len(alike)) for reason, alike in by_reason(cases)] == counted


# An anonymous report leaves nothing that tells whose target it is, in no spelling and in no file.
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
            for spec, ha_id in zip(
                (HOOD_COLORFUL, ROBOT_NAMED.having({MAP_NAME_1: MAP})), HA_IDS, strict=True
            )
        )

        def answer(self, request: Incoming) -> Reply:
            reply = super().answer(request)
            if reply.status >= 400 and len(request.path) % 2:
                return replace(reply, body=f"{OWNER}: {HA_IDS[0]} ({MAC}) is asleep".encode())
            return replace(reply, body=telling_body(reply.body)) if reply.body.startswith(b"{") else reply

    faulty: Any = type("Faulty", (Telling, *map(find_server, FAULTS)), {})
    return faulty


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


HOOD = StandIns("http://hub.anna.example:8080/x", ["HOOD-0007", "f"])
HOOD.learn('{"description": "Ambient light color"}')


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
        ("while the ambient light color is Color1", "while the ambient light color is Color1"),
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
    stand_ins = StandIns("http://hub", [])
    stand_ins.learn(sent)
    assert re.fullmatch(r"text \d+ is asleep", stand_ins.hide(said_of_it))
