"""The page of a job: the summary of a run is added to it, or it is said why not."""

from pathlib import Path

import pytest

from conformance.selftest.support.commanding import run, said
from reports.formats.step_summary import MOST_BYTES, VARIABLE, append_summary

SELECTED = ("reference", "--level", "read", "--", "-k", "ChildLock and oven-1")


@pytest.fixture
def summary(tmp_path: Path) -> Path:
    """A summary of a run."""
    (tmp_path / "summary.md").write_text("## Conforms\n", encoding="utf-8")
    return tmp_path / "summary.md"


def test_summary_is_added_to_what_is_there(summary: Path, tmp_path: Path) -> None:
    """What other steps have written stays, and the summary follows it."""
    (tmp_path / "page").write_text("before\n", encoding="utf-8")
    assert append_summary(summary, {VARIABLE: str(tmp_path / "page")}) == ""
    assert (tmp_path / "page").read_text(encoding="utf-8") == "before\n## Conforms\n"


@pytest.mark.parametrize("environment", [{}, {VARIABLE: ""}])
def test_nothing_is_added_where_no_page_is_named(summary: Path, environment: dict[str, str]) -> None:
    """Outside such a job nothing is written and nothing is said."""
    assert append_summary(summary, environment) == ""


def test_page_that_cannot_be_written_is_said(summary: Path, tmp_path: Path) -> None:
    """A page that is a directory takes no summary; the reason is one line."""
    assert append_summary(summary, {VARIABLE: str(tmp_path)}).startswith(
        f"{VARIABLE}: summary.md is not added: "
    )


def test_page_does_not_grow_beyond_what_is_shown(summary: Path, tmp_path: Path) -> None:
    """Where the page would be dropped for its size, it stays as it is."""
    (tmp_path / "page").write_bytes(b"x" * (MOST_BYTES - 5))
    assert "1 MiB" in append_summary(summary, {VARIABLE: str(tmp_path / "page")})
    assert (tmp_path / "page").stat().st_size == MOST_BYTES - 5


def test_run_and_judge_add_their_summaries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command adds the very summary.md it has written."""
    ran = run(tmp_path, *SELECTED, env={VARIABLE: str(tmp_path / "page")})
    assert (tmp_path / "page").read_bytes() == (ran.out / "summary.md").read_bytes()
    monkeypatch.setenv(VARIABLE, str(tmp_path / "other"))
    said("judge", str(ran.out / "evidence.ndjson"), "--out", str(tmp_path / "again"), *SELECTED[3:])
    assert (tmp_path / "other").read_bytes() == (tmp_path / "again" / "summary.md").read_bytes()


def test_run_is_not_changed_by_its_page(tmp_path: Path) -> None:
    """Where the summary cannot be added, the run says so and ends as it would."""
    ran = run(tmp_path, *SELECTED, env={VARIABLE: str(tmp_path)})
    assert ran.code == 0
    assert f"{VARIABLE}: summary.md is not added" in ran.output
