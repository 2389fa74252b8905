"""Enumerations of which `make test` tries a part, the same each time, and `make prove-all` all."""

import os
import random
from collections.abc import Sequence
from typing import TypeVar

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
