"""What a mutant and a variant are, and the two decorators that make a service one.

A mutant is a service that is wrong in exactly one way and names the clause that must turn red. A
variant is a service that is odd and still conforms, so nothing may turn red. Each is a small
subclass of the reference `Service` that overrides one method; its docstring says how it is wrong,
or odd. Names are words, because a report shows them.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from conformance.reference.profile import Knowledge, truthful_profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conformance.reference.service import Service

ServiceClass = TypeVar("ServiceClass", bound="type[Service]")

SeenAt: TypeAlias = Literal["L0", "L1", "L2", "L3", "L4"]
"""The least a suite must be told or allowed to see a fault: a base URL (L0), what an appliance supports (L1), where an
answer holds what (L2), writes (L3), a person, a hook, much time or a second appliance (L4)."""

KNOWLEDGE: Mapping[SeenAt, Knowledge] = MappingProxyType({"L0": "L0", "L1": "L1", "L2": "L2", "L3": "full", "L4": "full"})
"""What the profile of a mutant says, by what is needed to see it."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A service that breaks one clause.

    Attributes:
        name: what it is called on a command line and in a report.
        fault: how it is wrong, in one line.
        clause: the id of the clause that must turn red.
        level: the least a suite must be told or allowed to see the fault.
        partners: further clauses whose own words name the same answer, each with the reason in one sentence.
        service: the broken service.
    """

    name: str
    fault: str
    clause: str
    level: SeenAt
    partners: Mapping[str, str]
    service: type[Service] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Variant:
    """A service that is odd and conforms.

    Attributes:
        name: what it is called on a command line and in a report.
        what: what is odd about it, in one line.
        clause: the id of the clause that a hasty judge would turn red.
        service: the odd service.
        knowledges: what a suite may be told about it; under none of them may anything turn red.
    """

    name: str
    what: str
    clause: str
    service: type[Service] = field(repr=False)
    knowledges: tuple[Knowledge, ...] = ("L0", "full")


REGISTERED_MUTANTS: dict[str, Mutant] = {}
"""Every mutant of the modules imported so far; `registry.load_mutants` imports them all."""

REGISTERED_VARIANTS: dict[str, Variant] = {}
"""Every variant of the modules imported so far; `registry.load_variants` imports them all."""


def mutant(name: str, *, clause: str, level: SeenAt, partners: Mapping[str, str] | None = None) -> Callable[[ServiceClass], ServiceClass]:
    """Make a service a mutant, and name it.

    Args:
        name: a name no other mutant has.
        clause: the id of the clause it breaks.
        level: the least a suite must be told or allowed to see it.
        partners: the other clauses whose FAIL line names the same answer, each with the reason.

    Raises:
        ValueError: the name is taken, or the class has no docstring.
    """

    def register(service: ServiceClass) -> ServiceClass:
        _name(service, name, REGISTERED_MUTANTS)
        reasons = MappingProxyType(dict(partners or {}))
        REGISTERED_MUTANTS[name] = Mutant(name, _first_line(service), clause, level, reasons, service)
        return service

    return register


def variant(name: str, *, clause: str, knowledges: tuple[Knowledge, ...] = ("L0", "full")) -> Callable[[ServiceClass], ServiceClass]:
    """Make a service a variant, and name it.

    Args:
        name: a name no other variant has.
        clause: the id of the clause at risk.
        knowledges: what a suite may be told about it.

    Raises:
        ValueError: the name is taken, or the class has no docstring.
    """

    def register(service: ServiceClass) -> ServiceClass:
        _name(service, name, REGISTERED_VARIANTS)
        REGISTERED_VARIANTS[name] = Variant(name, _first_line(service), clause, service, knowledges)
        return service

    return register


def mutant_profile(mutant: Mutant, base_url: str) -> dict[str, object]:
    """The profile under which the mutant must be caught: the truth about what it claims, at its level."""
    return truthful_profile(mutant.service(), base_url, knowledge=KNOWLEDGE[mutant.level])


def variant_profile(variant: Variant, base_url: str, knowledge: Knowledge) -> dict[str, object]:
    """A profile under which the variant must pass.

    Raises:
        ValueError: the variant is not meant to be judged with this knowledge.
    """
    if knowledge not in variant.knowledges:
        raise ValueError(f"variant {variant.name} is judged with {', '.join(variant.knowledges)}, not {knowledge}")
    return truthful_profile(variant.service(), base_url, knowledge=knowledge)


def _name(service: type[Service], name: str, taken: Mapping[str, Mutant] | Mapping[str, Variant]) -> None:
    if name in taken:
        first = taken[name].service
        raise ValueError(f"two services are called {name}: {first.__module__}.{first.__name__} and {service.__module__}.{service.__name__}")
    service.name = name


def _first_line(service: type[Service]) -> str:
    text = inspect.cleandoc(service.__doc__ or "")
    if not text:
        raise ValueError(f"{service.__qualname__} does not say what it does")
    return text.splitlines()[0]
