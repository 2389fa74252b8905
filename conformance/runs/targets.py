"""What can be judged: a profile file, or one of the servers that come with the suite."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from catalog.keys import POWER_STATE
from conformance.profiles.fields import Problem, ProfileError, nearest
from conformance.profiles.validation import build_profile, load_profile
from reports.kills import PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from datetime import date

    from catalog.model import Level
    from conformance.mutants.hostile.model import Hostile
    from conformance.mutants.model import Mutant, Unearned, Variant
    from conformance.profiles.model import Profile
    from conformance.reference.service import Service

_Record = TypeVar("_Record", bound="Mutant | Variant | Unearned | Hostile")
DEFAULT = "reference"
_AT_ONCE = 4
"""Requests that a server of the suite is asked at once: its answers take less time than more threads do."""


def is_embedded(name: str) -> bool:
    """Whether a target is a server of the suite, as `reference` or `mutant:NAME`."""
    return name == DEFAULT or name.partition(":")[0] in {"mutant", "variant", "unearned", "hostile"}


@contextmanager
def open_target(name: str) -> Generator[Profile]:
    """The profile of a target; a server of the suite runs on loopback as long as the context lasts.

    Unless it is hostile, it has a process of its own.

    Raises:
        ProfileError: when the profile has mistakes, or no such server exists.
    """
    if not is_embedded(name):
        yield profile_of(name)
        return
    with serve_embedded(name, apart=True) as (_, data):
        yield build_profile(data, source=name)


def profile_of(name: str, *, offline: bool = False, today: date | None = None) -> Profile:
    """The profile of a target, without starting anything; `offline` and `today` are those of `load_profile`.

    Raises:
        ProfileError: as `open_target`.
    """
    if is_embedded(name):
        return build_profile(_embedded_profile(name, "http://127.0.0.1"), source=name)
    if not Path(name).exists():
        told = "is no file, and no server of the suite"
        raise ProfileError(name, [Problem("target", told, nearest(name, [DEFAULT]))])
    return load_profile(Path(name), offline=offline, today=today)


def level_of(target: str, profile: Profile, wanted: Level | None) -> Level:
    """The level of a run: as `wanted`, else what a server of the suite needs, read for any other.

    Raises:
        ProfileError: when the profile says nothing of what the level needs.
    """
    if wanted is None:
        if target.startswith("unearned:"):
            return getattr(_found(target), "level", "power")
        return "power" if is_embedded(target) and profile.write else "read"
    problems = [] if wanted == "read" else list(_lacking(profile, wanted))
    if problems:
        raise ProfileError(profile.places.file or profile.target.name, problems)
    return wanted


def assert_certifiable(profile: Profile) -> None:
    """Whether a certificate can name what it is about.

    Raises:
        ProfileError: when the profile does not name the product.
    """
    if not profile.target.product.strip():
        reason = "is not there: a certificate names the product it is about"
        source = profile.places.file or profile.target.name
        raise ProfileError(source, [Problem("target.product", reason)])


def _lacking(profile: Profile, level: Level) -> Iterator[Problem]:
    """What a level needs and a profile does not say."""
    if profile.write is None:
        yield Problem("write", f"is not there: level {level} needs [write] method, path, body and allow")
    elif not profile.write.allow:
        yield Problem("write.allow", f"is empty: level {level} writes only the settings that it names")
    elif level == "power" and not profile.may_write(POWER_STATE):
        reason = f"does not name {POWER_STATE}, which level power writes: add it, or use --level write"
        yield Problem("write.allow", reason)
    hooks = profile.hooks
    terminal = sys.__stdin__  # a process that another one started may find it closed
    a_person = terminal is not None and not terminal.closed and terminal.isatty()
    if level == "attended" and not (hooks.touch or hooks.advance or hooks.dust_box or a_person):
        yield Problem(
            "hooks", "are not there, and no person at a terminal: level attended needs one or the other"
        )


@contextmanager
def serve_embedded(
    name: str, port: int = 0, *, apart: bool = False, vendor: str = ""
) -> Generator[tuple[str, dict[str, object]]]:
    """Serve a server of the suite on loopback: its base URL, and what its profile says.

    With `apart` it has a process of its own, unless it is hostile. `vendor` is the maker's name in its keys
    and values, where that is not its own.

    Raises:
        ProfileError: when there is none of that name.
        ServeError: when the port cannot be listened on.
    """
    if name.startswith("hostile:"):
        from conformance.mutants.hostile.servers import opened  # noqa: PLC0415  who judges a server of their own starts none

        with opened(_hostile(name), port) as (served, data):
            yield served.base_url, data
        return
    from conformance.reference.server import serve, serve_apart  # noqa: PLC0415  for the same reason

    services = {"": _embedded_service(name, vendor)}
    with serve_apart(services) if apart else serve(services, port) as base_url:
        yield base_url, _embedded_profile(name, base_url, vendor)


def _embedded_service(name: str, vendor: str = "") -> Service:
    if name == DEFAULT:
        from conformance.reference.service import Service  # noqa: PLC0415  who judges a server of their own needs none

        found = Service
    else:
        found = _found(name).service
    return type(found.__name__, (found,), {"vendor": vendor})() if vendor else found()


def _embedded_profile(name: str, base_url: str, vendor: str = "") -> dict[str, object]:
    """What that server's profile says: of a mutant no more than what it is seen at, all others everything."""
    if name.startswith("hostile:"):
        from conformance.mutants.hostile.model import hostile_profile  # noqa: PLC0415  who judges a server of their own needs none

        return hostile_profile(_hostile(name), base_url)
    from conformance.mutants.model import KNOWLEDGE, Mutant  # noqa: PLC0415  for the same reason
    from conformance.reference.profile import truthful_profile  # noqa: PLC0415  for the same reason

    found = None if name == DEFAULT else _found(name)
    knowledge = KNOWLEDGE[found.seen_at] if isinstance(found, Mutant) else "full"
    profile = truthful_profile(_embedded_service(name, vendor), base_url, knowledge=knowledge)
    pace = cast("dict[str, object]", profile["pace"])
    return {**profile, "pace": {"concurrency": _AT_ONCE, **pace}}


def _hostile(name: str) -> Hostile:
    from conformance.mutants.hostile.servers import HOSTILE  # noqa: PLC0415  who judges a server of their own needs none

    return _named(name, HOSTILE)


def _found(name: str) -> Mutant | Variant | Unearned:
    from conformance.mutants.registry import load_mutants, load_unearned, load_variants  # noqa: PLC0415  for the same reason

    load = {"mutant": load_mutants, "variant": load_variants, "unearned": load_unearned}
    return _named(name, load[name.partition(":")[0]]())


def _named(name: str, records: Iterable[_Record]) -> _Record:
    """The one of some servers of the suite that is called `what:NAME`.

    Raises:
        ProfileError: when there is none.
    """
    what, _, wanted = name.partition(":")
    known = {record.name: record for record in records}
    if wanted not in known:
        near = nearest(wanted, known)
        listed = f"{PUBLISHED} lists them" if what != "hostile" else f"there are {', '.join(known)}"
        told = f"there is no {what} {wanted!r}{'' if near else f'; {listed}'}"
        raise ProfileError(name, [Problem("target", told, f"{what}:{near}" if near else None)])
    return known[wanted]
