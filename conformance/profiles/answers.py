"""How a profile fills the gaps of the document, field by field, and with which defaults.

A gap that the profile does not fill has a default, and a report says so, to show how the run was made.
"""

import json
from typing import Any, cast

from conformance.profiles.model import Profile
from conformance.profiles.validation import dump_profile

_SCOPE = {"ha_id", "supports", "lacks"}
"""What a profile says of an appliance that is no answer to a gap: which one it is, and what it claims."""
_WITH_DEFAULTS = {"target", "http", "timing", "paths", "power", "judging"}
_PACE = ("per_minute", "per_day", "concurrency", "max_refusals_in_a_row")


def answers_of(profile: Profile) -> dict[str, str]:
    """The answers by field, as JSON, those of appliances by haId; a default is marked behind its value."""
    answers: dict[str, object] = {}
    for table, fields in dump_profile(profile).items():
        if isinstance(fields, dict):
            answers |= {f"{table}.{name}": value for name, value in cast("dict[str, object]", fields).items()}
    for appliance in profile.appliance:
        said: dict[str, Any] = appliance.model_dump(mode="json", exclude_unset=True, exclude=_SCOPE)
        samples = {f"samples.{name}": value for name, value in said.pop("samples", {}).items()}
        for name, value in {**said, **samples}.items():
            cast("dict[str, object]", answers.setdefault(f"appliance.{name}", {}))[appliance.ha_id] = value
    answers["appliance.ha_id"] = [appliance.ha_id for appliance in profile.appliance]
    told = {name: json.dumps(value, ensure_ascii=False) for name, value in answers.items()}
    return told | {
        name: f"{json.dumps(value)} (default)"
        for name, value in _defaults(profile).items()
        if name not in told
    }


def _defaults(profile: Profile) -> dict[str, object]:
    """The default of a field, or nothing; that of the pace depends on where the target is."""
    tables: dict[str, dict[str, object]] = profile.model_dump(mode="json", include=_WITH_DEFAULTS)
    values = {f"{table}.{name}": value for table, fields in tables.items() for name, value in fields.items()}
    values |= {f"pace.{name}": getattr(profile, name) for name in _PACE}
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}
