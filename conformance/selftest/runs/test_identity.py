"""The digest of the judging covers what turns a ledger into results, and nothing that only shows them."""

import pytest

from conformance.runs.identity import ROOMS, judging_digest, judging_files

FILES = judging_files()
DECIDES = [
    *("catalog.loader", "catalog/data/clauses.toml", "conformance.profiles.validation", "conformance.cases"),
    *("conformance.harness.answers.decoding", "conformance.harness.observing", "conformance.test_ranges"),
    *("conformance.checks.reads.support", "conformance.runs.session", "conformance.runs.judging"),
    *("reports.results.build", "reports.results.file", "reports.certificate"),
]
DECIDES_NOTHING = [
    *("conformance.reference", "conformance.mutants", "conformance.selftest", "conformance.commands"),
    *("reports.page", "reports.history", "reports.formats.junit"),
    "reports.formats.cases_page",
]


def test_what_decides_is_covered() -> None:
    """Catalog, profiles, decoding, checks, cases and results have a part in the digest."""
    assert {*DECIDES} - {*FILES} == set()


def test_every_check_is_covered() -> None:
    """No module of the checks is left out."""
    checks = {
        ".".join(path.relative_to(ROOMS["conformance"].parent).with_suffix("").parts)
        for path in (ROOMS["conformance"] / "checks").rglob("[a-z]*.py")
    }
    assert checks - FILES.keys() == set()


def test_what_decides_nothing_is_not_covered() -> None:
    """A change of the reference, a mutant, a command or a page leaves the digest as it is."""
    assert [name for name in FILES if name.startswith(tuple(DECIDES_NOTHING))] == []


def test_another_byte_is_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest changes with any byte of any of the files, without a new version."""
    before = judging_digest()
    judging_digest.cache_clear()
    monkeypatch.setattr(
        "conformance.runs.identity.judging_files",
        lambda: {**FILES, "conformance.checks.reads.ranges": FILES["conformance.checks.reads.units"]},
    )
    try:
        assert judging_digest() != before
    finally:
        judging_digest.cache_clear()
