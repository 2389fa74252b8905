"""Commands that tell or serve what the suite knows: exports, explain, serve, and what is left of a day."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from shutil import copyfile
from typing import Any
from urllib.request import urlopen

import pytest

from catalog.loader import load_catalog
from conformance.cases import CATALOG
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.runs.targets import serve_embedded
from conformance.selftest.support.commands import BARE, LIMIT_S, RENDERED, SCRIPT, command, surroundings
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.servers.listening import write_profile
from conformance.selftest.support.servers.recording import several
from reports.formats import CASES_FILE, FILES, JUNIT_FILE, Format

VALUE = '[answer]\nvalue = "/deep/inside"\n'


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run with findings."""
    return command("run", "mutant:booleans-as-words", directory=tmp_path_factory.mktemp("ran"))


def test_every_file_of_a_run_has_a_format() -> None:
    """What is no record of the run itself can be rendered again, but for the files that pytest writes."""
    assert {*FILES.values(), JUNIT_FILE, CASES_FILE} == RENDERED


@pytest.mark.parametrize("form", FILES)
def test_report_gives_the_bytes_of_the_run(form: Format, ran: Ran, tmp_path: Path) -> None:
    """Saved results give the very file that the run wrote, on standard output and in a file."""
    words = ("report", str(ran.out / "results.json"), "--format", form)
    written = (ran.out / FILES[form]).read_bytes()
    assert command(*words).stdout == written
    assert command(*words, "-o", str(tmp_path / "again")).stdout == b""
    assert (tmp_path / "again").read_bytes() == written


def test_report_as_har_has_every_exchange(ran: Ran) -> None:
    """The HTTP Archive has an entry for each request of the ledger."""
    archive = json.loads(command("report", str(ran.out / "results.json"), "--format", "har").output)
    requests = [line["request"]["url"] for line in ran.evidence if "request" in line]
    assert [entry["request"]["url"] for entry in archive["log"]["entries"]] == requests


def test_report_as_har_needs_the_ledger(ran: Ran, tmp_path: Path) -> None:
    """Without a ledger beside the results there is no HTTP Archive, and the file that is missing is named."""
    copyfile(ran.out / "results.json", tmp_path / "results.json")
    result = command(
        "report", str(tmp_path / "results.json"), "--format", "har", "-o", str(tmp_path / "x.har")
    )
    assert (result.code, (tmp_path / "x.har").exists()) == (2, False)
    assert "evidence.ndjson" in result.output


def export(form: str, *words: str) -> Any:
    """An export of the catalog, read as JSON."""
    result = command("catalog", "--format", form, *words)
    assert result.code == 0
    return json.loads(result.output)


def test_catalog_is_json_by_default() -> None:
    """The plain export has every setting, status and clause."""
    catalog, data = load_catalog(), json.loads(command("catalog").output)
    assert data == export("json")
    for part in ("settings", "statuses", "clauses"):
        assert len(data[part]) == len(getattr(catalog, part)), part


def test_catalog_as_openapi_puts_values_where_the_profile_says(tmp_path: Path) -> None:
    """With a profile, the OpenAPI export has its pointer and its maker's name; without one, the usual."""
    profile = write_profile(tmp_path / "hub.toml", "http://127.0.0.1:9", more=VALUE)
    profile.write_text(profile.read_text().replace('name = "hub"', 'name = "hub"\nvendor = "Acme"'))
    told, usual = json.dumps(export("openapi", "--profile", str(profile))), json.dumps(export("openapi"))
    assert '"inside"' in told
    assert "Acme.Common.Setting.ChildLock" in told
    assert '"inside"' not in usual
    assert "Vendor.Common.Setting.ChildLock" in usual


def test_catalog_for_a_wrong_profile_is_wrong_usage(tmp_path: Path) -> None:
    """A profile with a mistake gives no export."""
    profile = write_profile(tmp_path / "hub.toml", "hub")
    assert command("catalog", "--format", "openapi", "--profile", str(profile)).code == 2


# What the command explain says of a clause.
LOCK = "Vendor.Common.Setting.ChildLock"


@pytest.mark.parametrize("clause", list(CATALOG.clauses))
def test_every_clause_is_explained(clause: str) -> None:
    """Each clause is told with its sentence and what is judged, and one that can fail with its mutants."""
    ran = command("explain", clause)
    assert ran.code == 0
    assert CATALOG.clauses[clause].quote in ran.output
    assert "what is judged" in ran.output
    judged = ran.output.partition("what is judged")[2].partition("\n\n")[0].splitlines()
    assert len({line.strip() for line in judged}) == len(judged)
    assert CATALOG.clauses[clause].remedy in ran.output
    assert ("what proves it" in ran.output) >= CATALOG.clauses[clause].can_fail


def test_excluded_clause_says_why() -> None:
    """A clause without cases says that nothing is judged and why, also of a key, and offers no run."""
    ran = command("explain", "COOL-SABBATH", "Cooking.Oven.Setting.SabbathMode")
    assert ran.code == 0
    assert "has no cases" in ran.output
    assert "nothing: the document shows no effect that can be read" in ran.output
    assert "by hand" not in ran.output


def test_check_of_writes_is_told_in_words() -> None:
    """What is judged of a write is the sentence that it is laid to, not how the check is built."""
    judged = command("explain", "SET-TYPEGUARD").output.partition("what is judged")[2].partition("\n\n")[0]
    assert "After a value of a wrong type was written, the value read has the right type" in judged
    assert "partial" not in judged


@pytest.mark.parametrize(
    ("clause", "needed"),
    [
        ("PROT-LIST", ["list"]),
        ("RANGE-COMMON-ADVERTISED", ["answer.min or answer.max"]),
        ("RANGE-WRITE-OUT", ["answer.min, answer.max, where the catalog has no range"]),
        (
            "UNIT-LIQ-DEFAULT",
            ["answer.unit", "interpretation.I-2, which is on unless the profile switches it off"],
        ),
        ("TYPE-BOOLEAN", []),
    ],
)
def test_needs_of_a_clause_are_named(clause: str, needed: list[str]) -> None:
    """It says which fields of a profile, and which interpretation, have to be there."""
    told = command("explain", clause).output.partition("what it needs of a profile\n")[2].partition("\n\n")[0]
    assert [line.strip() for line in told.splitlines()] == needed


def test_good_answer_is_shown_of_a_key() -> None:
    """With a key, what a conforming server answers to its read; never where states or writes decide."""
    assert '\n  {"data": {"value": false}}\n' in command("explain", "TYPE-BOOLEAN", LOCK).output
    assert "a conforming server answers" not in command("explain", "SET-TYPEGUARD", LOCK).output


def test_key_is_explained_with_a_request() -> None:
    """With a key, or with the id of a case, it says the type, the values, and how to read it by hand."""
    by_name = command("explain", "type-boolean", LOCK).output
    assert by_name == command("explain", f"TYPE-BOOLEAN::{LOCK}@fridge-1").output
    assert by_name == command("explain", "TYPE-BOOLEAN", "childlock").output
    assert f"{LOCK}: Boolean, under settings (line 40)" in by_name
    assert f'curl -q -sS -i --path-as-is "$BASE_URL/api/homeappliances/HAID/settings/{LOCK}"' in by_name


def test_case_of_generated_requests_is_explained() -> None:
    """The id of a case about no key stands for its clause."""
    ran = command("explain", "ADDR-UNKNOWNKEY::~generated@fridge-1")
    assert ran.code == 0
    assert "keys-by-prefix" in ran.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("TYPE-BOOLAEN",), "did you mean TYPE-BOOLEAN?"),
        (("TYPE-BOOLEAN", f"{LOCK}s"), f"did you mean {LOCK}?"),
        (("TYPE-INTEGER", LOCK), f"TYPE-INTEGER is not about {LOCK}"),
    ],
)
def test_what_does_not_exist_is_wrong_usage(words: tuple[str, ...], told: str) -> None:
    """A clause or a key that does not exist, or that do not belong together, end with 2."""
    ran = command("explain", *words)
    assert ran.code == 2
    assert told in ran.output


# serve: a server of the suite for other clients.
TARGET = "variant:versioned-alias"


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A process that serves a variant, and what it has said, by its first words."""
    words = [SCRIPT, "serve", TARGET, "--port", "0", "--out", str(tmp_path / "served")]
    with subprocess.Popen(
        words, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        lines = [process.stdout.readline().rstrip("\n").partition("  ") for _ in range(2)]
        yield process, {first: last.strip() for first, _, last in lines}
        process.kill()


def test_served_profile_fits(serving: tuple[subprocess.Popen[str], dict[str, str]], tmp_path: Path) -> None:
    """The profile that serve names is judged by run, and conforms; Ctrl-C ends the server."""
    process, announced = serving
    assert announced["base URL"].startswith("http://127.0.0.1:")
    ran = command("run", announced["profile"], directory=tmp_path)
    assert (ran.code, ran.results["target"]["base_url"]) == (0, announced["base URL"])
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=LIMIT_S) == 0


def test_maker_is_called_as_wanted() -> None:
    """With --vendor keys and values have that maker's name, and so has the profile."""
    with serve_embedded("reference", vendor="Maker") as (base_url, data):
        path = "/api/homeappliances/oven-1/settings/Maker.Common.Setting.PowerState"
        with urlopen(base_url + path) as answer:
            assert b"Maker.Common.EnumType.PowerState.On" in answer.read()
        assert build_profile(data, CATALOG).target.vendor == "Maker"
    for words in (("reference", "--vendor", "A.B"), ("hostile:gzip-twice", "--vendor", "Maker")):
        assert command("serve", *words).code == 2


def test_port_that_is_taken_is_wrong_usage(serving: tuple[subprocess.Popen[str], dict[str, str]]) -> None:
    """A port that something listens on is said to be taken."""
    port = serving[1]["base URL"].rpartition(":")[2]
    result = command("serve", "--port", port)
    assert result.code == 2
    assert "choose another --port" in result.output


# What users meet when the requests of a day are used up.
def test_all_runs_spend_one_budget(tmp_path: Path) -> None:
    """The second run has what the first one left; the third is told so, and the files of the second stay."""
    service = several(OVEN, 1)()
    profile, state = tmp_path / "hub.toml", ("--state", str(tmp_path / "state"))
    with serve({"": service}) as base_url:
        pace = {"per_day": 60, "generated_reads": 0}
        profile.write_text(toml_of({**truthful_profile(service, base_url), "pace": pace}), encoding="utf-8")
        words = (str(profile), "--level", "read", *state)
        assert "60 of the 60 requests of today are left" in command("check", str(profile), *state).output
        first = command("run", *words, "--", "--no-renderings", "-k", "AlarmClock", directory=tmp_path)
        asked = sum("request" in line for line in first.evidence)
        assert f"\ntoday        {60 - asked} of the 60 requests" in command("plan", *words).output
        second = command("run", *words, *BARE, directory=tmp_path)
        assert (second.code, sum("request" in line for line in second.evidence)) == (3, 60 - asked)
        kept = (second.out / "results.json").read_bytes()
        third = command("run", *words, *BARE, directory=tmp_path)
    told = "the 60 requests of a day are used up (pace.per_day); more at 00:00 UTC"
    assert (third.code, third.output) == (3, f"nothing is sent: {told}\n")
    assert (second.out / "results.json").read_bytes() == kept
    assert told in command("check", str(profile), *state).output
