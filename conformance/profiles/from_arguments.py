"""Profiles made from the arguments of a command line."""

import re
from collections.abc import Sequence
from typing import Any, Final

from conformance.profiles.fields import Problem, ProfileError
from conformance.profiles.keeping import VARIABLE
from conformance.profiles.model import Profile
from conformance.profiles.sections import Http
from conformance.profiles.validation import build_profile

_HARMLESS: Final = re.compile(r"accept(-\w+)?|host|user-agent|x-requested-with|(\w+-)*version", re.IGNORECASE)
"""Headers whose value is no secret; any other one is only taken from the environment."""


def command_line_profile(
    base_url: str, appliances: Sequence[str], vendor: str | None = None, headers: Sequence[str] = ()
) -> Profile:
    """The profile of `--base-url`, `--vendor`, `--header` and `--appliance HAID:KIND`, which claims nothing.

    Raises:
        ProfileError: when either is not what it should be.
    """
    tables = appliance_tables(appliances)
    if not tables:
        raise ProfileError(
            "--base-url", [Problem("--appliance", "name at least one appliance: --appliance HAID:KIND")]
        )
    target: dict[str, Any] = {
        "name": host_of(base_url),
        "base_url": base_url,
        **({"vendor": vendor} if vendor is not None else {}),
    }
    data = {"target": target, "appliance": tables, **header_tables(headers)}
    return build_profile(data, source="command line")


def header_tables(headers: Sequence[str]) -> dict[str, dict[str, dict[str, str]]]:
    """The tables `auth` and `http` of a profile that `--header 'NAME: VALUE'` amounts to.

    A value that names no variable is written into the files of the run: it is only taken for a header that
    holds no secret. No error repeats a value.

    Raises:
        ProfileError: when one is not of that form, or holds a value that may be a secret.
    """
    secret: dict[str, str] = {}
    plain: dict[str, str] = {}
    problems: list[Problem] = []
    for text in headers:
        name, colon, value = (part.strip() for part in text.partition(":"))
        if not (colon and name and value) or not name.isascii():
            problems.append(Problem("--header", "is not NAME: VALUE, such as 'X-Token: ${TOKEN}'"))
        elif VARIABLE.search(value):
            secret[name] = value
        elif is_harmless(name):
            plain[name] = value
        else:
            told = "may hold a secret: write ${NAME} for it, in single quotes, and export NAME"
            problems.append(Problem(f"--header {name}", told))
    if problems:
        raise ProfileError("command line", problems)
    accept = Http().headers
    return {
        **({"auth": {"headers": secret}} if secret else {}),
        **({"http": {"headers": {**accept, **plain}}} if plain else {}),
    }


def is_harmless(header: str) -> bool:
    """Whether the value of a header of this name is no secret, and may stand in a file."""
    return _HARMLESS.fullmatch(header) is not None


def host_of(base_url: str) -> str:
    """What a target is called that nobody has named."""
    return base_url.partition("://")[2].strip("/") or base_url


def appliance_tables(appliances: Sequence[str]) -> list[dict[str, str]]:
    """The tables of a profile that `--appliance HAID:KIND` amounts to.

    Raises:
        ProfileError: when one of them is not of that form.
    """
    tables: list[dict[str, str]] = []
    for text in appliances:
        ha_id, colon, kind = text.rpartition(":")
        if not (colon and ha_id and kind):
            raise ProfileError("--appliance", [Problem(text, "is not HAID:KIND, such as 0123:Refrigerator")])
        tables.append({"ha_id": ha_id, "kind": kind})
    return tables
