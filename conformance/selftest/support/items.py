"""Which rows of a table are run in this session: what is made for them is made for no other."""

from collections.abc import Iterable
from typing import cast

import pytest


def named_by(items: Iterable[pytest.Item], test: str) -> list[str]:
    """The names of the rows that a test is asked about."""
    return [
        cast("str", item.callspec.params["name"])
        for item in items
        if isinstance(item, pytest.Function) and item.originalname == test
    ]
