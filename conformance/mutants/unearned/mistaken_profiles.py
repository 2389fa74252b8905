"""Profiles with a mistake, a waiver, too small a bound, or a level that does not show what is claimed.

> Response body field names: not shown.
"""

from types import MappingProxyType

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Ground, unearned
from conformance.mutants.shapes.reads import holds, rewrites, sends
from conformance.mutants.shapes.requests import ErringAtRandom
from conformance.mutants.shapes.states import Unsaid
from conformance.reference.service import Service

_WAIVED = MappingProxyType(
    {"waiver": [{"case": "TYPE-BOOLEAN::*", "reason": "known", "owner": "nobody", "expires": "9999-12-31"}]}
)
_FRIDGE = fleets.FRIDGE_SETPOINTS


def _answer(**pointers: str) -> MappingProxyType[str, object]:
    return MappingProxyType({"answer": pointers})


_LONG = holds(lambda _, members: members | {"description": "x" * 3_000})

# fmt: off
unearned("value-pointer-gives-the-key", Ground.OPEN, _FRIDGE, Service,
    "The profile says that the value stands where the key does.", ends=(3,),
    guards=("TYPE-BOOLEAN", "TYPE-DOUBLE"), profile=_answer(value="/data/key"))
unearned("value-pointer-nowhere", Ground.OPEN, _FRIDGE, Service,
    "The profile says that the value stands where no answer has anything.", profile=_answer(value="/value"))
unearned("min-pointer-nowhere", Ground.OPEN, _FRIDGE, Service,
    "The profile says that the minimum stands where no answer has anything.",
    guards=("RANGE-PERAPP-PRESENT",), profile=_answer(min="/minimum"))
unearned("maker-in-another-case", Ground.OPEN, _FRIDGE, Service,
    "The profile spells the name of the maker in lower case.", vendor="Acme",
    profile={"target": {"vendor": "acme"}})
unearned("kept-bytes-spent", Ground.OPEN, _FRIDGE, _LONG,
    "Bodies are long, and the profile lets the ledger keep few of them.",
    profile={"http": {"limits": {"kept_bytes": 20_000}}})
unearned("errs-in-10-of-100", Ground.OPEN, (fleets.MACHINE, fleets.ROBOT_TWOFOLD), ErringAtRandom,
    "Of a hundred answers, 10 are 500 or 502.", ends=(0, 3), share=10, level="write")
unearned("errs-in-40-of-100", Ground.OPEN, (fleets.MACHINE, fleets.ROBOT_TWOFOLD), ErringAtRandom,
    "Of a hundred answers, 40 are 500 or 502.", share=40, level="write")
unearned("nothing-claimed", Ground.HEADLINE, _FRIDGE, Unsaid,
    "The profile says of no key that an appliance has it.", ends=(0,), fields=("supports", "writable"),
    headline="Nothing contradicts the document; nothing was claimed")
unearned("read-only", Ground.HEADLINE, _FRIDGE, Service,
    "Everything can be read, and nothing is written.", ends=(0,), level="read", certified=True,
    headline="Conforms as far as reading shows (nothing was written)")
unearned("failure-waived", Ground.HEADLINE, fleets.MACHINE, sends(keys.CHILD_LOCK, "true"),
    "ChildLock is a text, which a waiver excuses.", ends=(0,), level="read", certified=True, profile=_WAIVED,
    headline="Conforms as far as reading shows (nothing was written), but for 1 waived failure (known, "
        "nobody, until 9999-12-31)")
unearned("value-twice", Ground.TWICE, _FRIDGE,
    rewrites(keys.CHILD_LOCK, lambda body: body.replace(b'"value":', b'"value":false,"value":')),
    "ChildLock stands twice in its answer, with the same value.", ends=(1,),
    guards=(f"READ-SETTING::{keys.CHILD_LOCK}", f"TYPE-BOOLEAN::{keys.CHILD_LOCK}"), level="read")
