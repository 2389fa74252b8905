"""Drafts a profile by asking a server: every key of each appliance once, then guesses that are marked as such."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from catalog.maker import with_maker
from conformance.cases import all_cases
from conformance.profiles.drafting import guessed_pointers
from conformance.profiles.loader import dump_profile
from conformance.profiles.writing import toml_of, write_profile
from conformance.session import Session

if TYPE_CHECKING:
    from conformance.checks.seen import Seen
    from conformance.profiles.model import Profile

_HEADING = """Drafted from what the server showed. Lines marked "guess" are no declarations yet: check each one against your own
documentation, then remove the mark. What the server did not serve today is neither claimed nor denied.
How it is written to no read can show: for --level write, add [write] by hand.
Everything else a profile can say: conformance/profiles/template.toml"""
_POWER = "Vendor.Common.Setting.PowerState"


def draft(profile: Profile) -> tuple[str, int]:
    """The text of a drafted profile, and how many keys gave a value. The server is only read."""
    with tempfile.TemporaryDirectory() as directory:
        path = write_profile(profile, Path(directory) / "profile.toml")
        session = Session(str(path), Path(directory))
        try:
            session.select(all_cases(session.profile))
            views = list(session.views.values())
        finally:
            session.close()
    data = dump_profile(profile)
    data["target"]["product"] = ""
    notes = {"target.product": "the name and version that a report shall show"}
    pointers = _pointers(views)
    if pointers:
        data = {"target": data.pop("target"), "answer": pointers, **data}
        notes |= {f"answer.{name}": "guess" for name in pointers}
    data["appliance"] = [_appliance(seen) for seen in views]
    notes |= {f"appliance.{name}": "guess: as seen now" for name in ("supports", "power_states")}
    served = sum(len(table["supports"]) for table in data["appliance"])
    return toml_of(data, heading=_HEADING, notes=notes), served


def _pointers(views: list[Seen]) -> dict[str, str]:
    answers = [answer for seen in views for answer in seen.reads.values() if answer.has_value]
    place = next((where for seen in views if (where := seen.value_pointer) is not None), None)
    if place is None or not answers:
        return {}
    makers = {seen.appliance.ha_id: seen.maker for seen in views}
    return guessed_pointers(place, [(with_maker(answer.exchange.key, makers[answer.exchange.ha_id]), answer.body) for answer in answers])


def _appliance(seen: Seen) -> dict[str, Any]:
    served = dict.fromkeys(key for (_, key), answer in seen.reads.items() if answer.has_value)
    table: dict[str, Any] = {"ha_id": seen.appliance.ha_id, "kind": seen.appliance.kind, "supports": list(served)}
    power = seen.value(_POWER)
    if isinstance(power, str):
        table["power_states"] = [power.rpartition(".")[2]]
    return table
