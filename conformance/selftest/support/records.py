"""One test for all records of a table.

As items of pytest, or subtests, thousands of records would cost more than what is tested of them.
"""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import pytest

_Record = TypeVar("_Record", bound=Any)


def for_each(records: Sequence[_Record]) -> Callable[[Callable[[_Record], None]], Callable[[], None]]:
    """Makes a test of one record a test of all; it fails with the name and the failure of each that is wrong.

    Raises:
        LookupError: when there are no records.
    """
    if not records:
        raise LookupError("a test of no record cannot fail")

    def decorated(test: Callable[[_Record], None]) -> Callable[[], None]:
        def of_all() -> None:
            wrong = [f"{record.name}: {failure}" for record in records if (failure := _failure(test, record))]
            if wrong:
                pytest.fail("\n".join(wrong), pytrace=False)

        return of_all

    return decorated


def _failure(test: Callable[[_Record], None], record: _Record) -> str:
    """What a test says of a record that is wrong; nothing of one that is not."""
    try:
        test(record)
    except Exception as error:  # noqa: BLE001  the other records are tested, too
        return f"{type(error).__name__}: {error}"
    return ""
