"""What the catalog rules out in a profile, and where its own declarations contradict each other (CAT-ICS).

Waivers that can match no case, or are over, are no mistake: a run with one ends with 4.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache

from msgspec.structs import replace

from catalog.keys import CAMERA_STATE, POWER_STATE, short_name
from catalog.loader import CATALOG
from conformance.profiles.fields import Problem, nearest
from conformance.profiles.keeping import VARIABLE
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Profile
from conformance.profiles.places import Place
from conformance.profiles.sections import Hook, Write

_SECRET_HEADERS = {"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"}


def contradictions(profile: Profile, lines: Mapping[int, Place]) -> Iterator[Problem]:
    """What the catalog and the profile's own declarations rule out (clause CAT-ICS).

    `lines` names the appliances that stand in a fleet file, by index.
    """
    places = [str(lines.get(index, f"appliance[{index}]")) for index in range(len(profile.appliance))]
    seen: dict[str, str] = {}
    known = {appliance.ha_id for appliance in profile.appliance}
    for place, appliance in zip(places, profile.appliance, strict=True):
        if appliance.ha_id in seen:
            yield Problem(f"{place}.ha_id", f"{appliance.ha_id!r} stands already at {seen[appliance.ha_id]}")
        seen[appliance.ha_id] = place
        if appliance.ha_id in {f"no-{kind.name}" for kind in CATALOG.kinds}:
            yield Problem(
                f"{place}.ha_id", f"{appliance.ha_id!r} is how case ids name a kind the target lacks"
            )
        if appliance.alias_of and (appliance.alias_of not in known or appliance.alias_of == appliance.ha_id):
            yield Problem(
                f"{place}.alias_of", f"{appliance.alias_of!r} is no other appliance of this profile"
            )
        yield from contradictions_of(appliance, place)
    if profile.write:
        yield from _write_problems(profile.write)
    yield from _path_problems(profile)
    yield from _hook_problems(profile)
    if profile.auth.oauth2 and profile.auth.token_cmd:
        yield Problem("auth.token_cmd", "stands beside auth.oauth2: a token comes from one of them")


def contradictions_of(appliance: Appliance, place: str) -> Iterator[Problem]:
    """What is wrong with an appliance that stands at `place`, whatever it is called."""
    same = appliance.model_dump_json(exclude={"ha_id", "alias_of"}, exclude_unset=True)
    for problem in _contradictions_of(same):
        yield replace(problem, place=f"{place}.{problem.place}")


@lru_cache(maxsize=512)  # a fleet has thousands of appliances of a few makes
def _contradictions_of(same: str) -> tuple[Problem, ...]:
    appliance = Appliance.model_validate({**json.loads(same), "ha_id": "any"})
    return (
        *_kind_problems(appliance),
        *_key_problems(appliance),
        *_value_problems(appliance),
        *_fact_problems(appliance),
    )


def _write_problems(write: Write) -> Iterator[Problem]:
    """A declaration by which nothing could be written, or always the same."""
    settings = [entry.key for entry in CATALOG.settings]
    for index, glob in enumerate(write.allow):
        if not any(fnmatchcase(key, glob) for key in settings):
            yield Problem(f"write.allow[{index}]", f"{glob!r} names no setting", _near(glob, settings))
    if "{ha_id}" in write.path and "{key}" not in f"{write.path}{json.dumps(write.body)}":
        yield Problem("write.path", "the key is {key}, and stands neither in it nor in the body")
    if '"{value}"' not in json.dumps(write.body):
        meant = 'a JSON object is a table, such as { data = { key = "{key}", value = "{value}" } }'
        yield Problem("write.body", f'holds no text that is "{{value}}" and nothing else: {meant}')


def _path_problems(profile: Profile) -> Iterator[Problem]:
    """Paths of one appliance that do not lead to it."""
    paths = {f"list.{segment}.path": shape.path for segment, shape in profile.list if shape}
    if write := profile.write:
        paths |= {"write.path": write.path, "write.status_path": write.status_path or "/{ha_id}"}
    for place, path in paths.items():
        if not path.startswith("/") or "{ha_id}" not in path:
            yield Problem(place, "must begin with '/' and name the appliance as {ha_id}")


def _hook_problems(profile: Profile) -> Iterator[Problem]:
    """Hooks that would not say how long, or whom, they mean."""
    words = {"advance": "seconds", "touch": "ha_id", "dust_box": "inserted"}
    for name, word in words.items():
        hook: Hook | None = getattr(profile.hooks, name)
        if hook and f"{{{word}}}" not in f"{hook.path}{json.dumps(hook.body)}":
            yield Problem(f"hooks.{name}", f"neither its path nor its body holds {{{word}}}")


def _kind_problems(appliance: Appliance) -> Iterator[Problem]:
    names = [kind.name for kind in CATALOG.kinds]
    near = nearest(appliance.kind.casefold(), map(str.casefold, names), 0.8)
    if near and appliance.kind not in names:
        meant = next(name for name in names if name.casefold() == near)
        yield Problem("kind", f"{appliance.kind!r} is none of {', '.join(names)}, but looks like one", meant)


def _key_problems(appliance: Appliance) -> Iterator[Problem]:
    tried = claimed_keys(appliance)
    for field in ("supports", "lacks", "writable"):
        for index, glob in enumerate(getattr(appliance, field)):
            if glob in CATALOG.entries or any(fnmatchcase(key, glob) for key in tried):
                continue
            text = (
                f"matches no key of a {appliance.kind}"
                if set(glob) & set("*?[")
                else "is no key of the catalog"
            )
            yield Problem(f"{field}[{index}]", f"{glob!r} {text}", _near(glob, tried, CATALOG.entries))
    for key in sorted(set(appliance.supports) & set(appliance.lacks)):
        yield Problem("lacks", f"{key} is declared under supports, too")


def _value_problems(appliance: Appliance) -> Iterator[Problem]:
    for key, names in appliance.enum_subset.items():
        values = CATALOG.entries[key].values if key in CATALOG.entries else None
        if values is None:
            yield Problem(
                "enum_subset", f"{key!r} is no enumeration key of the catalog", _near(key, CATALOG.entries)
            )
            continue
        short = [short_name(value) for value in values]
        for name in names:
            if name not in short and name not in values:
                told = f"{name!r} is no value of this key"
                yield Problem(f"enum_subset.{key}", told, nearest(name, short))
    for key in appliance.step:
        if key not in CATALOG.entries or not CATALOG.entries[key].is_numeric:
            yield Problem("step", f"{key!r} is no numeric key of the catalog", _near(key, CATALOG.entries))


def _fact_problems(appliance: Appliance) -> Iterator[Problem]:
    if appliance.streaming_camera is False and CAMERA_STATE in appliance.supports:
        yield Problem(
            "streaming_camera",
            "is false, yet CameraState stands under supports (line 103: only by appliances with one)",
        )
    if appliance.power_states is not None and appliance.claim(POWER_STATE) == "no":
        yield Problem("power_states", "are declared, yet PowerState stands under lacks")
    if appliance.power_states is not None and len(set(appliance.power_states)) != len(appliance.power_states):
        yield Problem("power_states", "names a state twice")


def secrets_in_the_open(profile: Profile) -> Iterator[Problem]:
    """Credentials written in the profile itself instead of a variable."""
    words = {f"auth.headers.{name}": value for name, value in profile.auth.headers.items()}
    words |= {f"auth.query.{name}": value for name, value in profile.auth.query.items()}
    words |= {
        f"http.client_cert[{number}]": word
        for number, word in enumerate(profile.http.client_cert)
        if number > 1
    }
    oauth2 = profile.auth.oauth2
    if oauth2:
        words |= {f"auth.oauth2.{name}": getattr(oauth2, name) for name in ("client_secret", "refresh_token")}
    for place, word in words.items():
        if word and not VARIABLE.search(word):
            yield Problem(place, "holds a secret in the open: write ${NAME} and set NAME in the environment")
    for name in profile.http.headers:
        if name.casefold() in _SECRET_HEADERS:
            yield Problem(
                f"http.headers.{name}", "carries credentials: it belongs in [auth] headers, as ${NAME}"
            )


def _near(glob: str, keys: Collection[str], more: Collection[str] = ()) -> str | None:
    """What may be meant: a glob of `keys` where it ends like one, else one of `keys` or of `more`."""
    if glob in keys:
        return None
    if glob.endswith(".*"):
        return nearest(glob, sorted(_globs(frozenset(keys))), 0.5)
    keys = more or keys
    ending = (key for key in keys if key.casefold().endswith(f".{glob.casefold()}"))
    return next(ending, None) or nearest(glob, keys, 0.5)


@lru_cache(maxsize=8)
def _globs(keys: frozenset[str]) -> frozenset[str]:
    """The globs that name all keys which begin alike: `Vendor.*`, `Vendor.Common.Setting.*`."""
    parts = [key.split(".") for key in keys]
    return frozenset(f"{'.'.join(part[:number])}.*" for part in parts for number in range(1, len(part)))


def stale_waivers(profile: Profile, today: date) -> Iterator[Problem]:
    """What is wrong with each waiver: it has expired, or names a clause or an appliance that is not there."""
    ha_ids = [appliance.ha_id for appliance in profile.appliance]
    others = [f"no-{kind.name}" for kind in CATALOG.kinds]
    for index, waiver in enumerate(profile.waiver):
        place = f"waiver[{index}]"
        if waiver.expires < today:
            yield Problem(f"{place}.expires", f"expired on {waiver.expires}")
        clause, _, rest = waiver.case.partition("::")
        ha_id = rest.rpartition("@")[2]
        if not _matches(clause, CATALOG.clauses):
            yield Problem(f"{place}.case", f"there is no clause {clause!r}", _begun(clause, CATALOG.clauses))
        if rest and not _matches(ha_id, [*ha_ids, *others]):
            yield Problem(f"{place}.case", f"there is no appliance {ha_id!r}", _begun(ha_id, ha_ids))


def _matches(glob: str, names: Collection[str]) -> bool:
    return any(fnmatchcase(name, glob) for name in names)


def _begun(word: str, names: Collection[str]) -> str | None:
    longer = (name for name in names if name.casefold().startswith(word.casefold()))
    return next(longer, None) or nearest(word, names, 0.5)
