"""The truthful profile of a service, as plain data in the shape of a profile file.

Derived from the fleet of the service, so that there is no second list to fall out of step.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

from catalog.keys import CHILD_LOCK, FRIDGE_SABBATH, OVEN_SABBATH
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.control import ROOT
from conformance.reference.service import Service

Knowledge: TypeAlias = Literal["L0", "L1", "L2", "full"]

_ORDER: tuple[Knowledge, ...] = ("L0", "L1", "L2", "full")
_GENERATED = {"generated_reads": 60, "generated_writes": 8}
_APPLIANCES = "/api/homeappliances/{ha_id}"


def truthful_profile(service: Service, base_url: str, *, knowledge: Knowledge = "full") -> dict[str, object]:
    """What a suite may be told of a service at `base_url`, ready for a TOML file.

    Of `knowledge`, `L0` names the appliances and nothing else, `L1` adds what they support, `L2` where an
    answer holds what, `full` how to write, to list and to listen.
    """
    depth = _ORDER.index(knowledge)
    target: dict[str, object] = {
        "name": service.name,
        "base_url": base_url,
        "product": "a server of appliance-conformance",
    }
    if service.vendor != "Vendor":
        target["vendor"] = service.vendor
    profile: dict[str, object] = {"target": target}
    if depth >= _ORDER.index("L2"):
        profile["answer"] = dict(service.answer_pointers)
    if knowledge == "full":
        profile |= _speech()
    # An embedded target is instant: nothing is gained by waiting longer.
    waits = {"settle_s": 0.02, "power_settle_s": 0.05, "poll_s": 0.01, "retry_s": 0, "put_back_s": 0.2}
    profile["timing"] = waits
    # Some generated requests show what they are; a mutant or a variant says itself if it is about them.
    profile["pace"] = _GENERATED if service.name == "reference" else dict.fromkeys(_GENERATED, 0)
    profile["appliance"] = [_appliance(service, spec, depth) for spec in service.fleet]
    return laid_over(profile, service.profile_extras)


def _appliance(service: Service, spec: ApplianceSpec, depth: int) -> dict[str, object]:
    """One `[[appliance]]` table."""
    table: dict[str, object] = {"ha_id": spec.ha_id, "kind": spec.kind}
    if spec.vendor is not None:
        table["vendor"] = spec.vendor
    if depth >= _ORDER.index("L1"):
        table |= service.claims(spec)
    if depth >= _ORDER.index("full"):
        table |= service.abilities(spec)
    return table


def _speech() -> dict[str, object]:
    """How to write, to list, to listen, and to move time and hands."""
    return {
        "write": {
            "method": "PUT",
            "path": f"{_APPLIANCES}/settings/{{key}}",
            "body": {"data": {"key": "{key}", "value": "{value}"}},
            "allow": ["*", CHILD_LOCK, OVEN_SABBATH, FRIDGE_SABBATH],
            "status_path": f"{_APPLIANCES}/status/{{key}}",
        },
        "list": {
            "settings": {"path": f"{_APPLIANCES}/settings", "items": "/data/settings", "key": "/key"},
            "status": {"path": f"{_APPLIANCES}/status", "items": "/data/status", "key": "/key"},
        },
        "events": {"path": f"{_APPLIANCES}/events"},
        "hooks": {
            "advance": {"path": f"{ROOT}advance", "body": {"seconds": "{seconds}"}},
            "touch": {"path": f"{ROOT}touch", "body": {"ha_id": "{ha_id}"}, "holds_s": 5},
            "dust_box": {"path": f"{ROOT}dustbox", "body": {"ha_id": "{ha_id}", "inserted": "{inserted}"}},
        },
    }


def laid_over(below: Mapping[str, object], above: Mapping[str, object]) -> dict[str, object]:
    """Both tables in one, nested tables too; where they differ, `above` counts."""
    merged = dict(below)
    for name, value in above.items():
        old = merged.get(name)
        both = isinstance(old, dict) and isinstance(value, dict)
        merged[name] = (
            laid_over(cast("dict[str, object]", old), cast("dict[str, object]", value)) if both else value
        )
    return merged
