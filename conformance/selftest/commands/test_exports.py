"""report and catalog: what is said again without a run."""

import json
from pathlib import Path
from shutil import copyfile
from typing import Any

import pytest

from catalog.loader import load_catalog
from conformance.selftest.support.commanding import RENDERED, Ran, run, said, write_profile
from reports.formats import CASES_FILE, FILES, JUNIT_FILE, Format

VALUE = '[answer]\nvalue = "/deep/inside"\n'


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run with findings."""
    return run(tmp_path_factory.mktemp("ran"), "mutant:booleans-as-words")


def test_every_file_of_a_run_has_a_format() -> None:
    """What is no record of the run itself can be rendered again, but for the files that pytest writes."""
    assert {*FILES.values(), JUNIT_FILE, CASES_FILE} == RENDERED


@pytest.mark.parametrize("form", FILES)
def test_report_gives_the_bytes_of_the_run(form: Format, ran: Ran, tmp_path: Path) -> None:
    """Saved results give the very file that the run wrote, on standard output and in a file."""
    words = ("report", str(ran.out / "results.json"), "--format", form)
    written = (ran.out / FILES[form]).read_bytes()
    assert said(*words).stdout_bytes == written
    assert said(*words, "-o", str(tmp_path / "again")).stdout_bytes == b""
    assert (tmp_path / "again").read_bytes() == written


def test_report_as_har_has_every_exchange(ran: Ran) -> None:
    """The HTTP Archive has an entry for each request of the ledger."""
    archive = json.loads(said("report", str(ran.out / "results.json"), "--format", "har").output)
    requests = [line["request"]["url"] for line in ran.evidence if "request" in line]
    assert [entry["request"]["url"] for entry in archive["log"]["entries"]] == requests


def test_report_as_har_needs_the_ledger(ran: Ran, tmp_path: Path) -> None:
    """Without a ledger beside the results there is no HTTP Archive, and the file that is missing is named."""
    copyfile(ran.out / "results.json", tmp_path / "results.json")
    result = said("report", str(tmp_path / "results.json"), "--format", "har", "-o", str(tmp_path / "x.har"))
    assert (result.exit_code, (tmp_path / "x.har").exists()) == (2, False)
    assert "evidence.ndjson" in result.output


def test_report_of_no_results_is_wrong_usage(tmp_path: Path) -> None:
    """What is no results.json is said to be none."""
    (tmp_path / "results.json").write_text("{}")
    assert said("report", str(tmp_path / "results.json")).exit_code == 2
    assert said("report", str(tmp_path / "nosuch.json")).exit_code == 2


def exported(form: str, *words: str) -> Any:
    """An export of the catalog, read as JSON."""
    result = said("catalog", "--format", form, *words)
    assert result.exit_code == 0
    return json.loads(result.output)


def test_catalog_is_json_by_default() -> None:
    """The plain export has every setting, status and clause."""
    catalog, data = load_catalog(), json.loads(said("catalog").output)
    assert data == exported("json")
    for part in ("settings", "statuses", "clauses"):
        assert len(data[part]) == len(getattr(catalog, part)), part


def test_catalog_as_openapi_puts_values_where_the_profile_says(tmp_path: Path) -> None:
    """With a profile, the OpenAPI export has its pointer and its maker's name; without one, the usual."""
    profile = write_profile(tmp_path / "hub.toml", "http://127.0.0.1:9", more=VALUE)
    profile.write_text(profile.read_text().replace('name = "hub"', 'name = "hub"\nvendor = "Acme"'))
    told, usual = json.dumps(exported("openapi", "--profile", str(profile))), json.dumps(exported("openapi"))
    assert '"inside"' in told
    assert "Acme.Common.Setting.ChildLock" in told
    assert '"inside"' not in usual
    assert "Vendor.Common.Setting.ChildLock" in usual


def test_catalog_for_a_wrong_profile_is_wrong_usage(tmp_path: Path) -> None:
    """A profile with a mistake gives no export."""
    profile = write_profile(tmp_path / "hub.toml", "hub")
    assert said("catalog", "--format", "openapi", "--profile", str(profile)).exit_code == 2


@pytest.mark.parametrize("form", ["markdown", "jsonschema"])
def test_catalog_names_every_key(form: str) -> None:
    """The other exports are texts with every key."""
    result = said("catalog", "--format", form)
    assert result.exit_code == 0
    assert [key for key in load_catalog().entries if key not in result.output] == []
