"""report and catalog: what is said again without a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from catalog.loader import load_catalog
from conformance.selftest.commanding import Ran, said, write_profile

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"html": "report.html", "markdown": "summary.md", "badge": "badge.json"}
VALUE = '[answer]\nvalue = "/deep/inside"\n'


@pytest.mark.parametrize("form", FILES)
def test_report_says_what_the_run_said(form: str, reference_run: Ran) -> None:
    """Saved results give the very file that the run wrote."""
    result = said("report", str(reference_run.out / "results.json"), "--format", form)
    assert result.exit_code == 0
    assert result.output == (reference_run.out / FILES[form]).read_text(encoding="utf-8")


def test_report_as_ctrf_has_every_case(reference_run: Ran) -> None:
    """CTRF has a test for each case."""
    result = said("report", str(reference_run.out / "results.json"), "--format", "ctrf")
    assert len(json.loads(result.output)["results"]["tests"]) == len(reference_run.results["cases"])


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
    counts = (len(catalog.settings), len(catalog.statuses), len(catalog.clauses))
    assert tuple(len(data[part]) for part in ("settings", "statuses", "clauses")) == counts


def test_catalog_as_markdown_names_every_key() -> None:
    """The Markdown export is a text with every key."""
    result = said("catalog", "--format", "markdown")
    assert result.exit_code == 0
    assert all(key in result.output for key in load_catalog().entries)


def test_catalog_as_json_schema_has_every_key() -> None:
    """The JSON Schema export speaks of every key."""
    text = json.dumps(exported("jsonschema"))
    assert all(key in text for key in load_catalog().entries)


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
