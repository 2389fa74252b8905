"""Commands that tell or serve what the suite knows: exports, explain, serve, and what is left of a day."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
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
from conformance.selftest.support.servers.recording import several
from reports.formats import CASES_FILE, FILES, JUNIT_FILE, Format


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


def test_catalog_is_json_by_default() -> None:
    """The plain export has every setting, status and clause."""
    catalog, data = load_catalog(), json.loads(command("catalog").output)
    for part in ("settings", "statuses", "clauses"):
        assert len(data[part]) == len(getattr(catalog, part)), part


# What the command explain says of a clause.


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
