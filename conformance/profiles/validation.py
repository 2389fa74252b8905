"""Reads a profile and reports all its mistakes at once, each with its place in the file and a suggestion.

A profile is checked in three steps: TOML, the fields (pydantic), and what only the catalog can tell: keys,
values, kinds, and declarations that contradict each other (clause CAT-ICS). Nothing is ever sent.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from conformance.files.foreign_files import PROFILE, parse_toml, read_text
from conformance.profiles.contradictions import contradictions, secrets_in_the_open, stale_waivers
from conformance.profiles.fields import Problem, ProfileError, why_not_sent
from conformance.profiles.fleet.listed import FleetData, with_fleet
from conformance.profiles.keeping import known_text, variables_in, why_not_kept
from conformance.profiles.model import Profile
from conformance.profiles.places import Place, places_of, shown_path
from conformance.profiles.salvage import dotted, mistakes, place_of, problem_of, salvaged


def load_profile(
    path: Path,
    environment: Mapping[str, str] | None = None,
    *,
    offline: bool = False,
    today: date | None = None,
) -> Profile:
    """The profile in the TOML file `path`; one that is used `offline` needs no value of a secret.

    With `today`, a waiver that has expired, or matches nothing, is a mistake as well.

    Raises:
        ProfileError: when the file cannot be read, is no TOML, or has any mistake.
    """
    try:
        text = read_text(path, PROFILE)
        data = parse_toml(text)
    except OSError as error:
        raise ProfileError(str(path), [Problem("file", error.strerror or str(error))]) from error
    except ValueError as error:
        raise ProfileError(str(path), [Problem("TOML", str(error))]) from error
    fleet = with_fleet(data, path.parent)
    profile = build_profile(fleet, source=str(path), environment=environment, offline=offline, today=today)
    listed = {
        profile.appliance[index].ha_id: Place(shown_path(path.parent / place.file), place.line)
        for index, place in fleet.lines.items()
    }
    return profile.standing_at(places_of(text, data, path, listed))


def build_profile(
    data: Mapping[str, Any] | FleetData,
    *,
    source: str = "profile",
    environment: Mapping[str, str] | None = None,
    offline: bool = False,
    today: date | None = None,
) -> Profile:
    """The profile that plain `data` describes, with the rows of its fleet; `source` names it in errors.

    `environment` is the process's own by default. A profile that is used `offline` needs no value of a
    secret: nothing is sent with it. `today` as in `load_profile`.

    Raises:
        ProfileError: when anything in it is wrong.
    """
    fleet = data if isinstance(data, FleetData) else FleetData(data)
    data, lines = fleet.data, fleet.lines
    problems = list(fleet.problems)
    profile: Profile | None
    try:
        profile = Profile.model_validate(data)
    except ValidationError as error:
        by_place = {
            problem.place: problem
            for details in reversed(mistakes(error))
            for problem in [problem_of(details, _place(place_of(details, data), lines), Profile)]
        }
        problems += reversed(by_place.values())
        profile = salvaged(data, error)
    if profile:
        problems += [*contradictions(profile, lines), *secrets_in_the_open(profile)]
        problems += stale_waivers(profile, today) if today else ()
    variables = os.environ if environment is None else environment
    problems += _variable_problems(data, variables, offline=offline)
    if problems or not profile:
        raise ProfileError(source, problems)
    return profile


def dump_profile(profile: Profile) -> dict[str, Any]:
    """The profile as plain JSON data, as it was written: defaults left out, secrets still `${NAME}`."""
    return profile.model_dump(mode="json", by_alias=True, exclude_unset=True)


def digest_profile(profile: Profile) -> str:
    """The SHA-256 of the profile's canonical JSON."""
    return digest_dumped(dump_profile(profile))


def digest_dumped(data: Mapping[str, Any]) -> str:
    """The digest of a profile that is plain data, as in the first line of a ledger."""
    return hashlib.sha256(json.dumps(data, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def secrets_of(profile: Profile, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Every `${NAME}` the profile mentions, with its value: what must never enter a file."""
    environment = os.environ if environment is None else environment
    return {name: environment[name] for name in variables_of(profile) if environment.get(name)}


def variables_of(profile: Profile) -> list[str]:
    """Every `${NAME}` the profile mentions, by its name."""
    return sorted({name for _, name in variables_in(dump_profile(profile))})


def _place(location: tuple[int | str, ...], lines: Mapping[int, Place] | None = None) -> str:
    """A place as it is told: `appliance[0].kind`, or the line of a fleet file that has the appliance."""
    table, number = (*location, "", "")[:2]
    line = (lines or {}).get(number) if table == "appliance" and isinstance(number, int) else None
    return f"{line}{dotted(location[2:])}" if line else dotted(location).removeprefix(".")


def _variable_problems(
    data: Mapping[str, Any], environment: Mapping[str, str], *, offline: bool
) -> Iterator[Problem]:
    """Variables that have no value, unless nothing is sent, or one that cannot be kept secret."""
    known = known_text(data)
    for location, name in variables_in(data):
        value = environment.get(name)
        if not value and not offline:
            told = "is not set in the environment" if value is None else "is empty"
            yield Problem(_place(location), f"names ${{{name}}}, which {told}")
        elif value and value != value.rstrip("\r\n"):
            yield Problem(_place(location), f"names ${{{name}}}, whose value ends with a line end")
        elif value and location[1:2] == ("headers",) and (reason := why_not_sent(value)):
            yield Problem(_place(location), f"names ${{{name}}}, whose value {reason}: HTTP cannot carry it")
        elif value and (reason := why_not_kept(value, known)):
            yield Problem(
                _place(location), f"names ${{{name}}}, whose value {reason}, so that it cannot be masked"
            )
