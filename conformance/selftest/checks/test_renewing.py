"""What is said of a row is written beside its name when the rows are renewed."""

from pathlib import Path

import pytest

from conformance.selftest.support.findings import renew

_TABLES = """
LATER: dict = {
    "twice": ("pass (1)", Reads()),
}
ROWS = {
    ("RANGE-COUNT", assert_count, COUNTER): {
        "once": ('fail 1 "5 °C"', Reads(value(COUNTER, "5 °C"))), "twice": ("pass (1)", Reads()),
    },
    ("TYPE-STRING", assert_string): LATER,
}
"""


@pytest.mark.parametrize(
    ("row", "old", "new"),
    [
        (("RANGE-COUNT", "once", "fail 2 5"), """'fail 1 "5 °C"'""", '"fail 2 5"'),
        (
            ("RANGE-COUNT", "twice", 'fail 2 "5"'),
            """, "twice": ("pass (1)\"""",
            """, "twice": ('fail 2 "5"'""",
        ),
        (
            ("TYPE-STRING", "twice", "pass (2)"),
            """\n    "twice": ("pass (1)""",
            """\n    "twice": ("pass (2)""",
        ),
    ],
    ids=["quotes", "a name that another table has", "a table with a name of its own"],
)
def test_row_is_renewed(tmp_path: Path, row: tuple[str, str, str], old: str, new: str) -> None:
    """Nothing but the expectation of that row changes, in the table of its clause."""
    module = tmp_path / "test_rows.py"
    module.write_text(_TABLES, encoding="utf-8")
    renew(module, *row)
    assert module.read_text(encoding="utf-8") == _TABLES.replace(old, new)


@pytest.mark.parametrize(("clause", "name"), [("RANGE-COUNT", "never"), ("TYPE-STRING", "once")])
def test_row_has_to_be_found(tmp_path: Path, clause: str, name: str) -> None:
    """A row that a table does not hold as a literal is renewed by hand."""
    module = tmp_path / "test_rows.py"
    module.write_text(_TABLES, encoding="utf-8")
    with pytest.raises(AssertionError, match="0 rows have that name"):
        renew(module, clause, name, "pass")
