"""What the command explain says of a clause."""

import pytest

from catalog.loader import load_catalog
from conformance.selftest.support.commanding import said

CATALOG = load_catalog()
LOCK = "Vendor.Common.Setting.ChildLock"


@pytest.mark.parametrize("clause", list(CATALOG.clauses))
def test_every_clause_is_explained(clause: str) -> None:
    """Each clause is told with its sentence and what is judged, and one that can fail with its mutants."""
    ran = said("explain", clause)
    assert ran.exit_code == 0
    assert CATALOG.clauses[clause].quote in ran.output
    assert "what is judged" in ran.output
    judged = ran.output.partition("what is judged")[2].partition("\n\n")[0].splitlines()
    assert len({line.strip() for line in judged}) == len(judged)
    assert CATALOG.clauses[clause].remedy in ran.output
    assert ("what proves it" in ran.output) >= CATALOG.clauses[clause].can_fail


def test_excluded_clause_says_why() -> None:
    """A clause without cases says that nothing is judged and why, also of a key, and offers no run."""
    ran = said("explain", "COOL-SABBATH", "Cooking.Oven.Setting.SabbathMode")
    assert ran.exit_code == 0
    assert "has no cases" in ran.output
    assert "nothing: the document shows no effect that can be read" in ran.output
    assert "by hand" not in ran.output


def test_check_of_writes_is_told_in_words() -> None:
    """What is judged of a write is the sentence that it is laid to, not how the check is built."""
    judged = said("explain", "SET-TYPEGUARD").output.partition("what is judged")[2].partition("\n\n")[0]
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
    told = said("explain", clause).output.partition("what it needs of a profile\n")[2].partition("\n\n")[0]
    assert [line.strip() for line in told.splitlines()] == needed


def test_good_answer_is_shown_of_a_key() -> None:
    """With a key, what a conforming server answers to its read; never where states or writes decide."""
    assert '\n  {"data": {"value": false}}\n' in said("explain", "TYPE-BOOLEAN", LOCK).output
    assert "a conforming server answers" not in said("explain", "SET-TYPEGUARD", LOCK).output


def test_key_is_explained_with_a_request() -> None:
    """With a key, or with the id of a case, it says the type, the values, and how to read it by hand."""
    by_name = said("explain", "type-boolean", LOCK).output
    assert by_name == said("explain", f"TYPE-BOOLEAN::{LOCK}@fridge-1").output
    assert by_name == said("explain", "TYPE-BOOLEAN", "childlock").output
    assert f"{LOCK}: Boolean, under settings (line 40)" in by_name
    assert f'curl -q -sS -i --path-as-is "$BASE_URL/api/homeappliances/HAID/settings/{LOCK}"' in by_name


def test_case_of_generated_requests_is_explained() -> None:
    """The id of a case about no key stands for its clause."""
    ran = said("explain", "ADDR-UNKNOWNKEY::~generated@fridge-1")
    assert ran.exit_code == 0
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
    ran = said("explain", *words)
    assert ran.exit_code == 2
    assert told in ran.output
