"""Tests of the rows of a table: one test for all, where thousands of items, or subtests, would cost more than
what is tested; a part of an enumeration; and those rows that are run in this session.
"""

import os
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

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


# Enumerations of which `make test` tries a part, the same each time, and `make prove-all` all.
_WHOLE = "WHOLE_ENUMERATIONS"
"""The variable that asks for all."""
_One = TypeVar("_One")


def drawn(every: Sequence[_One], count: int) -> list[_One]:
    """So many of them, in their order, or all where that is asked for.

    A part is enough where a defect of the kind that is looked for shows in many of them.
    """
    if os.environ.get(_WHOLE):
        return list(every)
    places = random.Random(len(every)).sample(range(len(every)), count)
    return [every[place] for place in sorted(places)]


# Which rows of a table are run in this session: what is made for them is made for no other.
def named_by(items: Iterable[pytest.Item], test: str) -> list[str]:
    """The names of the rows that a test is asked about."""
    return [
        cast("str", item.callspec.params["name"])
        for item in items
        if isinstance(item, pytest.Function) and item.originalname == test
    ]
