"""Reads a profile and reports all its mistakes at once, each with its place in the file and a suggestion.

A profile is checked in three steps: TOML, the fields (pydantic), and what only the catalog can tell: keys,
values, kinds, and declarations that contradict each other (clause CAT-ICS). Nothing is ever sent.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ValidationError

from conformance.profiles.keeping import known_text, why_not_kept
from conformance.profiles.model import Appliance, Profile
from conformance.profiles.salvage import mistakes, place_of, salvaged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from catalog.model import Catalog
    from conformance.profiles.acting import Hook, Write

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRET_HEADERS = {"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"}


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: its place as a TOML path (`appliance[0].kind`), what is wrong, and what may have been meant."""

    place: str
    text: str
    suggestion: str | None = None

    def __str__(self) -> str:
        """The mistake in one line."""
        return f"{self.place}: {self.text}" + (f" (did you mean {self.suggestion!r}?)" if self.suggestion else "")


class ProfileError(Exception):
    """A profile that cannot be used. `problems` holds every mistake found, in the order of the file's tables."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        """Keeps the mistakes; the text of the error lists them all."""
        self.source = source
        self.problems = tuple(problems)
        count = f"{len(problems)} mistake" + ("s" if len(problems) != 1 else "")
        super().__init__("\n".join([f"{source}: {count}", *(f"  {problem}" for problem in problems)]))


def load_profile(path: Path, catalog: Catalog, environment: Mapping[str, str] | None = None) -> Profile:
    """The profile in the TOML file `path`.

    Raises:
        ProfileError: when the file cannot be read, is no TOML, or has any mistake.
    """
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ProfileError(str(path), [Problem("file", error.strerror or str(error))]) from error
    except UnicodeDecodeError as error:
        raise ProfileError(str(path), [Problem("file", f"is not UTF-8 text: {error.reason}")]) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProfileError(str(path), [Problem("TOML", str(error))]) from error
    return build_profile(data, catalog, source=str(path), environment=environment)


def build_profile(
    data: Mapping[str, Any], catalog: Catalog, *, source: str = "profile", environment: Mapping[str, str] | None = None
) -> Profile:
    """The profile that plain `data` describes (`source` names it in errors; `environment` defaults to the process's own).

    Raises:
        ProfileError: when anything in it is wrong.
    """
    problems: list[Problem] = []
    profile: Profile | None
    try:
        profile = Profile.model_validate(data)
    except ValidationError as error:
        by_place = {problem.place: problem for details in reversed(mistakes(error)) for problem in [_problem(details, data)]}
        problems += reversed(by_place.values())
        profile = salvaged(data, error)
    if profile:
        problems += [*_contradictions(profile, catalog), *_secrets_in_the_open(profile)]
    problems += _variable_problems(data, catalog, os.environ if environment is None else environment)
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


def fill(text: str, environment: Mapping[str, str]) -> str:
    """`text` with every `${NAME}` replaced from `environment`.

    Raises:
        KeyError: when a name is not set; `build_profile` has ruled that out.
    """
    return _VARIABLE.sub(lambda found: environment[found[1]], text)


def secrets_of(profile: Profile, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Every `${NAME}` the profile mentions, with its value: what must never enter a file."""
    environment = os.environ if environment is None else environment
    return {name: environment[name] for name in sorted({name for _, name in _variables(dump_profile(profile))}) if environment.get(name)}


def claimed_keys(appliance: Appliance, catalog: Catalog) -> tuple[str, ...]:
    """The keys tried on `appliance`, in catalog order: those of its kind, and those its profile names in full beyond them."""
    return _claimed(appliance.kind, appliance.supports, catalog)


@lru_cache(maxsize=256)  # every clause of a run asks for those of every appliance
def _claimed(kind: str, supports: tuple[str, ...], catalog: Catalog) -> tuple[str, ...]:
    of_kind = {entry.key for entry in catalog.of_kind(kind)}
    named_in_full = {name for name in supports if name in catalog.entries}  # a glob speaks of the kind's keys alone
    return tuple(key for key in catalog.entries if key in of_kind | named_in_full)


def _problem(details: Any, data: Mapping[str, Any]) -> Problem:
    place = _place(place_of(details, data))
    text = str(details["msg"]).removeprefix("Value error, ")
    if details["type"] == "extra_forbidden":
        near = get_close_matches(str(details["loc"][-1]), _fields_at(details["loc"][:-1]), n=1)
        return Problem(place, "no such field", near[0] if near else None)
    if details["type"] == "literal_error":
        near = get_close_matches(str(details["input"]), re.findall(r"'([^']*)'", text), n=1, cutoff=0.5)
        return Problem(place, f"{text}, not {details['input']!r}", near[0] if near else None)
    told = details["type"] in {"missing", "value_error"} or details["loc"][0] == "auth"  # what stands in [auth] is not repeated
    return Problem(place, text if told else f"{text} (found {details['input']!r})")


def _place(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def _fields_at(location: tuple[int | str, ...]) -> list[str]:
    """The field names a table at `location` knows, for a suggestion."""
    model: type[BaseModel] | None = Profile
    for part in location:
        if isinstance(part, int) or model is None:
            continue
        model = _table_of(model, part)
    return [] if model is None else [field.alias or name for name, field in model.model_fields.items()]


def _table_of(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    field = model.model_fields.get(name)
    if field is None:
        return None
    candidates = [field.annotation, *getattr(field.annotation, "__args__", ())]
    tables = [candidate for candidate in candidates if isinstance(candidate, type) and issubclass(candidate, BaseModel)]
    return tables[0] if tables else None


def _contradictions(profile: Profile, catalog: Catalog) -> Iterator[Problem]:
    """What the catalog and the profile's own declarations rule out (clause CAT-ICS)."""
    seen: dict[str, int] = {}
    known = {appliance.ha_id for appliance in profile.appliance}
    for index, appliance in enumerate(profile.appliance):
        place = f"appliance[{index}]"
        if appliance.ha_id in seen:
            yield Problem(f"{place}.ha_id", f"{appliance.ha_id!r} stands already at appliance[{seen[appliance.ha_id]}]")
        seen[appliance.ha_id] = index
        if appliance.ha_id in {f"no-{kind.name}" for kind in catalog.kinds}:
            yield Problem(f"{place}.ha_id", f"{appliance.ha_id!r} is how case ids name a kind the target lacks")
        if appliance.alias_of and (appliance.alias_of not in known or appliance.alias_of == appliance.ha_id):
            yield Problem(f"{place}.alias_of", f"{appliance.alias_of!r} is no other appliance of this profile")
        yield from _kind_problems(appliance, place, catalog)
        yield from _key_problems(appliance, place, catalog)
        yield from _value_problems(appliance, place, catalog)
        yield from _fact_problems(appliance, place)
    if profile.write:
        yield from _write_problems(profile.write, catalog)
    yield from _hook_problems(profile)


def _write_problems(write: Write, catalog: Catalog) -> Iterator[Problem]:
    """A declaration by which nothing could be written, or always the same."""
    for index, glob in enumerate(write.allow):
        if not any(fnmatchcase(entry.key, glob) for entry in catalog.settings):
            yield Problem(f"write.allow[{index}]", f"{glob!r} names no setting", _near(glob, catalog.entries))
    for place, path in (("write.path", write.path), ("write.status_path", write.status_path)):
        if path is not None and (not path.startswith("/") or "{ha_id}" not in path):
            yield Problem(place, "must begin with '/' and hold {ha_id}: it stands below base_url")
    if "{ha_id}" in write.path and "{key}" not in f"{write.path}{json.dumps(write.body)}":
        yield Problem("write.path", "neither the path nor the body holds {key}")
    if '"{value}"' not in json.dumps(write.body):
        yield Problem("write.body", 'holds no lone "{value}"')


def _hook_problems(profile: Profile) -> Iterator[Problem]:
    """Hooks that would not say how long, or whom, they mean."""
    words = {"advance": "seconds", "touch": "ha_id", "dust_box": "inserted"}
    for name, word in words.items():
        hook: Hook | None = getattr(profile.hooks, name)
        if hook and f"{{{word}}}" not in f"{hook.path}{json.dumps(hook.body)}":
            yield Problem(f"hooks.{name}", f"neither its path nor its body holds {{{word}}}")


def _kind_problems(appliance: Appliance, place: str, catalog: Catalog) -> Iterator[Problem]:
    names = [kind.name for kind in catalog.kinds]
    near = get_close_matches(appliance.kind.casefold(), [name.casefold() for name in names], n=1, cutoff=0.8)
    if near and appliance.kind not in names:
        meant = next(name for name in names if name.casefold() == near[0])
        yield Problem(f"{place}.kind", f"{appliance.kind!r} is none of {', '.join(names)}, but looks like one", meant)


def _key_problems(appliance: Appliance, place: str, catalog: Catalog) -> Iterator[Problem]:
    tried = claimed_keys(appliance, catalog)
    for field in ("supports", "lacks", "writable"):
        for index, glob in enumerate(getattr(appliance, field)):
            if glob in catalog.entries or any(fnmatchcase(key, glob) for key in tried):
                continue
            text = f"matches no key of a {appliance.kind}" if set(glob) & set("*?[") else "is no key of the catalog"
            yield Problem(f"{place}.{field}[{index}]", f"{glob!r} {text}", _near(glob, catalog.entries))
    for key in sorted(set(appliance.supports) & set(appliance.lacks)):
        yield Problem(f"{place}.lacks", f"{key} is declared under supports, too")


def _value_problems(appliance: Appliance, place: str, catalog: Catalog) -> Iterator[Problem]:
    for key, names in appliance.enum_subset.items():
        values = catalog.entries[key].values if key in catalog.entries else None
        if values is None:
            yield Problem(f"{place}.enum_subset", f"{key!r} is no enumeration key of the catalog", _near(key, catalog.entries))
            continue
        short = [value.rpartition(".")[2] for value in values]
        for name in names:
            if name not in short and name not in values:
                near = get_close_matches(name, short, n=1)
                yield Problem(f"{place}.enum_subset.{key}", f"{name!r} is no value of this key", near[0] if near else None)
    for key in appliance.step:
        if key not in catalog.entries or not catalog.entries[key].is_numeric:
            yield Problem(f"{place}.step", f"{key!r} is no numeric key of the catalog", _near(key, catalog.entries))


def _fact_problems(appliance: Appliance, place: str) -> Iterator[Problem]:
    if appliance.streaming_camera is False and "Vendor.Common.Status.Video.CameraState" in appliance.supports:
        yield Problem(
            f"{place}.streaming_camera", "is false, yet CameraState stands under supports (line 103: only by appliances with one)"
        )
    if appliance.power_states is not None and appliance.claim("Vendor.Common.Setting.PowerState") == "no":
        yield Problem(f"{place}.power_states", "are declared, yet PowerState stands under lacks")
    if appliance.power_states is not None and len(set(appliance.power_states)) != len(appliance.power_states):
        yield Problem(f"{place}.power_states", "names a state twice")


def _secrets_in_the_open(profile: Profile) -> Iterator[Problem]:
    words = {f"auth.headers.{name}": value for name, value in profile.auth.headers.items()}
    words |= {f"http.client_cert[{number}]": word for number, word in enumerate(profile.http.client_cert) if number > 1}
    words |= {"auth.oauth2.client_secret": profile.auth.oauth2.client_secret} if profile.auth.oauth2 else {}
    for place, word in words.items():
        if not _VARIABLE.search(word):
            yield Problem(place, "holds a secret in the open: write ${NAME} and set NAME in the environment")
    for name in profile.http.headers:
        if name.casefold() in _SECRET_HEADERS:
            yield Problem(f"http.headers.{name}", "carries credentials: it belongs in [auth] headers, as ${NAME}")


def _variable_problems(data: Mapping[str, Any], catalog: Catalog, environment: Mapping[str, str]) -> Iterator[Problem]:
    """Variables that have no value, or one that cannot be kept secret; what need not be may stand in the profile itself."""
    known = known_text(catalog, data)
    for location, name in _variables(data):
        value = environment.get(name)
        if not value:
            yield Problem(_place(location), f"names ${{{name}}}, which is not set in the environment")
        elif reason := why_not_kept(value, known):
            yield Problem(_place(location), f"names ${{{name}}}, whose value {reason}, so that it cannot be masked")


def _variables(data: object, location: tuple[int | str, ...] = ()) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """Every `${NAME}` in the strings of nested plain data, with its place."""
    if isinstance(data, str):
        yield from ((location, name) for name in _VARIABLE.findall(data))
    elif isinstance(data, dict):
        for field, value in cast("dict[str, object]", data).items():
            yield from _variables(value, (*location, field))
    elif isinstance(data, list | tuple):
        for index, value in enumerate(cast("Sequence[object]", data)):
            yield from _variables(value, (*location, index))


def _near(glob: str, keys: Mapping[str, object]) -> str | None:
    near = get_close_matches(glob, list(keys), n=1, cutoff=0.5) if glob not in keys else []
    return near[0] if near else None
