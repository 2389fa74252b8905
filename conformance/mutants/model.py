"""What a mutant, a variant and an unearned server are, and what makes a service one.

A mutant is a service that is wrong in exactly one way and names the clause that must turn red. A
variant is a service that is odd and still conforms, so nothing may turn red. An unearned server keeps a run
from seeing what a pass has to rest on, so the run must not be green. Each is a small
subclass of the reference `Service` that overrides one method, and perhaps another one for the state that
hides it; a sentence says how it is wrong, or odd. All are rows of tables, in `faults`, `variants` and
`unearned`. Names are words, because a report shows them.

That a mutant is wrong, and only because of its fault, is shown by its twin: the reference with the same
appliances and profile, on which the clause passes (`twins` of `conformance/proof/trials.py`).
"""

import inspect
import sys
from collections.abc import Mapping
from enum import Enum
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct

from catalog.model import Level
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.profile import Knowledge
from conformance.reference.service import Service

SeenAt: TypeAlias = Literal["L0", "L1", "L2", "L3", "L4"]
"""The least a suite must be told or allowed to see a fault.

A base URL (L0), what an appliance supports (L1), where an answer holds what (L2), writes (L3), a person, a
hook, much time or a second appliance (L4).
"""

KNOWLEDGE: Mapping[SeenAt, Knowledge] = {"L0": "L0", "L1": "L1", "L2": "L2", "L3": "full", "L4": "full"}
"""What the profile of a mutant says, by what is needed to see it."""


class Mutant(Struct, frozen=True, eq=False):
    """A service that breaks one clause.

    Attributes:
        name: what it is called on a command line and in a report.
        fault: how it is wrong, in one line.
        clause: the id of the clause that must turn red.
        seen_at: the least a suite must be told or allowed to see the fault.
        partners: further clauses whose own words name the same answer, each with the reason in one sentence.
        service: the broken service.
        everywhere: keys that the fault is in, if the clause must be red on each of them.
    """

    name: str
    fault: str
    clause: str
    seen_at: SeenAt
    partners: Mapping[str, str]
    service: type[Service]
    everywhere: tuple[str, ...] = ()


class Allowed(Struct, frozen=True):
    """What allows an oddity: a sentence of the document, or its silence.

    Attributes:
        line: a line of the document.
        quote: words of that line, as they stand there.
        silent: what those words could have said, and do not; empty where they allow the oddity themselves.
    """

    line: int
    quote: str
    silent: str = ""

    def __str__(self) -> str:
        """The reason in one line, as reports show it."""
        said = f'line {self.line}: "{self.quote}"'
        return f"silent: no line says {self.silent}; {said}" if self.silent else said


class Variant(Struct, frozen=True, eq=False):
    """A service that is odd and conforms.

    Attributes:
        name: what it is called on a command line and in a report.
        what: what is odd about it, in one line.
        clause: the id of the clause that a hasty judge would turn red.
        service: the odd service.
        allowed: what allows the oddity.
        knowledges: what a suite may be told about it; under none of them may anything turn red.
        lacks: keys that its appliances do not have, where that is what is odd.
        disputed: what somebody could hold against it, with the line; no client has to meet such a one.
    """

    name: str
    what: str
    clause: str
    service: type[Service]
    allowed: Allowed
    knowledges: tuple[Knowledge, ...] = ("L0", "full")
    lacks: tuple[str, ...] = ()
    disputed: str = ""


class Ground(Enum):
    """What green has to rest on: when a pass, "Conforms", exit code 0 and a certificate may be given."""

    GUARD = "A guard passes only beside an allowed write that was seen to work."
    LOOK = "Nothing happened only where the last read gave a value."
    ERROR = "An error on a key that controls others is no state of the appliance."
    STATE = "A state excuses only where it was read, and read again."
    READ = "Every value that is read is judged, whatever it was read for."
    TRY = "A write to put back counts as a try like any other."
    AWAY = "A target that went away is not judged from then on."
    OPEN = "Only so many claimed cases may stay open."
    EFFECT = "A run that writes sees at least one write work."
    HEADLINE = "The headline names the level and what is waived."
    POWER = "An appliance does not take a power state that it does not support."
    BACK = "Put back means that the value which was found is there again."
    VALUES = "What is written is a value that the appliance says it takes."
    TWICE = "A member that stands twice in an object gives no value."


class Unearned(Struct, frozen=True, eq=False):
    """A server, with its profile, of which too little is seen for a run to be green.

    Attributes:
        name: what it is called on a command line and in a report.
        what: what keeps the run from seeing enough, in one line.
        ground: the rule that a green run would break.
        service: the server.
        guards: clauses, or clauses of one key (`SET-WRITABLE::KEY`), of which no case may pass.
        ends: the exit codes that a run may end with.
        level: what the run may do.
        headline: what the run must be told as; empty where the exit code says it.
        certified: whether a certificate may be given, which the headline then qualifies.
    """

    name: str
    what: str
    ground: Ground
    service: type[Service]
    guards: tuple[str, ...] = ()
    ends: tuple[int, ...] = (3,)
    level: Level = "power"
    headline: str = ""
    certified: bool = False


REGISTERED: dict[str, Mutant | Variant | Unearned] = {}
"""Every one of the modules imported so far, by name; `registry` imports them all."""


def broken(  # noqa: PLR0913, PLR0917  the columns of a table
    name: str,
    clause: str,
    seen_at: SeenAt,
    fleet: ApplianceSpec | tuple[ApplianceSpec, ...],
    fault: type[Service] | tuple[type[Service], ...],
    wrong: str,
    *,
    partners: Mapping[str, str] = MappingProxyType({}),
    everywhere: tuple[str, ...] = (),
    vendor: str = "Vendor",
    profile: Mapping[str, object] = MappingProxyType({}),
) -> None:
    """Register a mutant: a row of the table of a module, with the columns that `Mutant` describes.

    `fault` is a call of a shape, such as `sends(CHILD_LOCK, "true")`, or a class; of several, the first
    overrides the next. `vendor` is its maker, and `profile` what its profile says beside the truth.

    Raises:
        ValueError: the name is taken.
    """
    service = _service(name, fault, fleet, vendor=vendor, profile_extras=profile)
    _register(Mutant(name, wrong, clause, seen_at, partners, service, everywhere))


def odd(  # noqa: PLR0913  the columns of a table
    shape: type[Service] | tuple[type[Service], ...],
    name: str,
    clause: str,
    what: str,
    *,
    allowed: Allowed,
    fleet: ApplianceSpec | tuple[ApplianceSpec, ...] = (),
    knowledges: tuple[Knowledge, ...] = ("L0", "full"),
    lacks: tuple[str, ...] = (),
    disputed: str = "",
    **data: object,
) -> None:
    """Register a variant: a row of the table of a module, with the columns that `Variant` describes.

    `shape` is as `fault` of a mutant, `data` are values of its attributes. Without a `fleet` it has that of
    its shape. A suite is told nothing, and everything, unless `knowledges` says otherwise.

    Raises:
        ValueError: the name is taken, or `shape` has no such attribute.
    """
    service = _service(name, shape, fleet, **data)
    known = set[str]().union(*(inspect.get_annotations(layer) for layer in service.__mro__))
    if unknown := sorted(data.keys() - known):
        raise ValueError(f"{name}: no shape of it has {', '.join(unknown)}")
    _register(Variant(name, what, clause, service, allowed, knowledges, lacks, disputed))


written = partial(odd, knowledges=("full",))
"""Register a variant whose oddity shows after a write: a suite is told everything, and nothing less."""


def unearned(  # noqa: PLR0913  the columns of a table
    name: str,
    ground: Ground,
    fleet: ApplianceSpec | tuple[ApplianceSpec, ...],
    shape: type[Service] | tuple[type[Service], ...],
    what: str,
    *,
    guards: tuple[str, ...] = (),
    ends: tuple[int, ...] = (3,),
    level: Level = "power",
    headline: str = "",
    certified: bool = False,
    profile: Mapping[str, object] = MappingProxyType({}),
    **data: object,
) -> None:
    """Register an unearned server: a row of the table of a module, with the columns of `Unearned`.

    `shape` is as `fault` of a mutant, `data` are values of its attributes, and `profile` is what its profile
    says beside the truth, or instead of it.

    Raises:
        ValueError: the name is taken.
    """
    service = _service(name, shape, fleet, profile_extras=profile, **data)
    _register(Unearned(name, what, ground, service, guards, ends, level, headline, certified))


def _service(
    name: str,
    shape: type[Service] | tuple[type[Service], ...],
    fleet: ApplianceSpec | tuple[ApplianceSpec, ...],
    **members: object,
) -> type[Service]:
    """The class of a row: it has a name like that of the row, and is of the module with the row."""
    shapes = shape if isinstance(shape, tuple) else (shape,)
    if fleet:
        members["fleet"] = (fleet,) if isinstance(fleet, ApplianceSpec) else fleet
    called = "".join(word.capitalize() for word in name.split("-"))
    row = sys._getframe(2)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  as Python finds the module of a class
    return type(called, shapes, {"__module__": row.f_globals["__name__"], "name": name, **members})


def _register(record: Mutant | Variant | Unearned) -> None:
    first = REGISTERED.setdefault(record.name, record)
    if first is not record:
        places = (f"{one.service.__module__}.{one.service.__name__}" for one in (first, record))
        raise ValueError(f"two services are called {record.name}: {' and '.join(places)}")
