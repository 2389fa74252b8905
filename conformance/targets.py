"""What can be judged: a profile file, or one of the servers that come with the suite."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.checks.seen import POWER_STATE
from conformance.derive import CATALOG
from conformance.profiles.loader import Problem, ProfileError, build_profile, load_profile

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from catalog.model import Level
    from conformance.mutants.model import Mutant, SeenAt, Variant
    from conformance.profiles.model import Profile
    from conformance.reference.service import Service

DEFAULT = "reference"


def is_embedded(name: str) -> bool:
    """Whether a target is a server of the suite: `reference`, `mutant:NAME` or `variant:NAME`."""
    return name == DEFAULT or name.partition(":")[0] in {"mutant", "variant"}


@contextmanager
def open_target(name: str) -> Generator[Profile]:
    """The profile of a target; a server of the suite runs on loopback as long as the context lasts.

    Raises:
        ProfileError: when the profile has mistakes, or no such server exists.
    """
    if not is_embedded(name):
        yield load_profile(Path(name), CATALOG, os.environ)
        return
    from conformance.reference.server import serve  # noqa: PLC0415  who judges a server of their own starts none

    service = embedded_service(name)
    with serve({"": service}) as base_url:
        yield build_profile(embedded_profile(name, service, base_url), CATALOG, source=name)


def profile_of(name: str) -> Profile:
    """The profile of a target, without starting anything.

    Raises:
        ProfileError: as `open_target`.
    """
    if not is_embedded(name):
        return load_profile(Path(name), CATALOG, os.environ)
    return build_profile(embedded_profile(name, embedded_service(name), "http://127.0.0.1"), CATALOG, source=name)


def level_of(target: str, profile: Profile, wanted: Level | None) -> Level:
    """The level of a run: as `wanted`, else power for a server of the suite that can be written to, and read for every other target.

    Raises:
        ProfileError: when the profile says nothing of what the level needs.
    """
    if wanted is None:
        return "power" if is_embedded(target) and profile.write else "read"
    problems = [] if wanted == "read" else list(_lacking(profile, wanted))
    if problems:
        raise ProfileError(profile.target.name, problems)
    return wanted


def assert_certifiable(profile: Profile) -> None:
    """Whether a certificate can name what it is about.

    Raises:
        ProfileError: when the profile does not name the product.
    """
    if not profile.target.product.strip():
        raise ProfileError(profile.target.name, [Problem("target.product", "is not there: a certificate names the product it is about")])


def _lacking(profile: Profile, level: Level) -> Iterator[Problem]:
    """What a level needs and a profile does not say."""
    if profile.write is None:
        yield Problem("write", f"is not there, so that nobody knows how to write, which level {level} does")
    elif not profile.write.allow:
        yield Problem("write.allow", f"is empty, so that nothing may be written, which level {level} does")
    elif level == "power" and not profile.may_write(POWER_STATE):
        yield Problem("write.allow", f"does not name {POWER_STATE}, which level power writes: add it, or use --level write")
    hooks = profile.hooks
    terminal = sys.__stdin__  # a process that another one started may find it closed
    a_person = terminal is not None and not terminal.closed and terminal.isatty()
    if level == "attended" and not (hooks.touch or hooks.advance or hooks.dust_box or a_person):
        yield Problem("hooks", "are not there, and no person at a terminal: level attended needs one or the other")


def embedded_service(name: str) -> Service:
    """A new server of the suite.

    Raises:
        ProfileError: when there is none of that name.
    """
    if name == DEFAULT:
        from conformance.reference.service import Service  # noqa: PLC0415  likewise

        return Service()
    return _found(name).service()


def embedded_profile(name: str, service: Service, base_url: str) -> dict[str, object]:
    """What that server's profile says: a mutant knows no more than its level names, a variant everything."""
    from conformance.mutants.model import KNOWLEDGE  # noqa: PLC0415  likewise
    from conformance.reference.profile import truthful_profile  # noqa: PLC0415  likewise

    level: SeenAt = getattr(None if name == DEFAULT else _found(name), "level", "L3")
    return truthful_profile(service, base_url, knowledge=KNOWLEDGE[level])


def _found(name: str) -> Mutant | Variant:
    from conformance.mutants.registry import load_mutants, load_variants  # noqa: PLC0415  likewise

    what, _, wanted = name.partition(":")
    records = load_mutants() if what == "mutant" else load_variants()
    found = next((record for record in records if record.name == wanted), None)
    if found is None:
        near = get_close_matches(wanted, [record.name for record in records], n=1)
        raise ProfileError(name, [Problem("target", f"there is no {what} {wanted!r}", f"{what}:{near[0]}" if near else None)])
    return found
