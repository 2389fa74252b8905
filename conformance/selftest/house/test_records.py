"""One test for all records of a table says which are wrong, and how."""

from typing import NamedTuple

import pytest

from conformance.selftest.support.records import for_each


class Record(NamedTuple):
    """A record, and whether it is as it should be."""

    name: str
    is_right: bool


def check(record: Record) -> None:
    """What is wrong with a record."""
    assert record.is_right, "it is wrong"


def test_each_wrong_record_is_named() -> None:
    """Also those after the first, and none that is right."""
    records = [Record("one", is_right=False), Record("two", is_right=True), Record("three", is_right=False)]
    with pytest.raises(pytest.fail.Exception) as failed:
        for_each(records)(check)()
    said = [line.partition(":")[0] for line in str(failed.value).splitlines() if "wrong" in line]
    assert said == ["one", "three"]


def test_test_of_no_record_is_none() -> None:
    """A table that has become empty is said."""
    with pytest.raises(LookupError, match="no record"):
        for_each(list[Record]())
