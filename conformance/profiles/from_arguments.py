"""Profiles made from the arguments of a command line."""

from collections.abc import Sequence
from typing import Any

from catalog.loader import load_catalog
from conformance.profiles.fields import Problem, ProfileError
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile


def command_line_profile(base_url: str, appliances: Sequence[str], vendor: str | None = None) -> Profile:
    """The profile of `--base-url`, `--vendor` and `--appliance HAID:KIND`, which claims nothing.

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
    return build_profile({"target": target, "appliance": tables}, load_catalog(), source="command line")


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
