"""Profiles with a mistake, a waiver, too small a bound, or a level that does not show what is claimed.

> Response bodies and the names of their members: not shown.
"""

from types import MappingProxyType

from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.reference.service import Service

_FRIDGE = fleets.FRIDGE_SETPOINTS


def _answer(**pointers: str) -> MappingProxyType[str, object]:
    return MappingProxyType({"answer": pointers})


# fmt: off
unearned("value-pointer-nowhere", Ground.OPEN, _FRIDGE, Service,
    "The profile says that the value stands where no answer has anything.", profile=_answer(value="/value"))
