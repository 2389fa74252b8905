"""All cases of a target, without pytest: what `plan` counts and golden lists hold."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import conformance
from conformance.derive import cases_of, derivations_of, omitted_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.model import Level
    from conformance.checks.case import Case
    from conformance.checks.extent import Omission
    from conformance.derive import Derivation
    from conformance.judge import Judge
    from conformance.profiles.model import Profile


def all_tests() -> list[Callable[[Judge], None]]:
    """Every test of every test module, in the order pytest collects them."""
    names = sorted(module.name for module in iter_modules(conformance.__path__) if module.name.startswith("test_"))
    modules = [import_module(f"conformance.{name}") for name in names]
    return [function for module in modules for name, function in vars(module).items() if name.startswith("test_")]


def all_derivations() -> list[Derivation]:
    """What every test of every test module is derived from, in the order pytest collects them."""
    return [derivation for function in all_tests() for derivation in derivations_of(function)]


def all_cases(profile: Profile, level: Level = "attended") -> list[Case]:
    """Every case of a run of `level` against the target of `profile`."""
    return cases_of(all_derivations(), profile, level)


def all_omitted(profile: Profile, level: Level = "attended") -> list[tuple[Case, Omission]]:
    """Everything a run of `level` against the target of `profile` does not judge, with the reason."""
    return omitted_of(all_derivations(), profile, level)
