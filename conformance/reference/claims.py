"""What an appliance truly supports, read off its spec: the facts of a profile's `[[appliance]]`.

Everything is spelled with the segment Vendor, as in the document.
"""

from __future__ import annotations

from catalog import keys
from catalog.model import Catalog
from conformance.reference.appliance import ApplianceSpec

MAP_NAME_SAMPLES = ("Ground floor", "First floor")
CUSTOM_COLOR_SAMPLES = ("#4a88f8", "#00d1ff")


def claims_of(catalog: Catalog, spec: ApplianceSpec) -> dict[str, object]:
    """What the appliance has and lacks, for a run that reads.

    Args:
        catalog: gives the order of the keys and those a kind is tried on.
        spec: the appliance as it leaves the factory.

    Returns:
        The fields `supports`, `lacks`, `power_states`, `online` and, unless nobody says, `streaming_camera`.
    """
    claims: dict[str, object] = {
        "supports": [key for key in catalog.entries if key in spec.values],
        "lacks": [entry.key for entry in catalog.of_kind(spec.kind) if entry.key not in spec.values],
        "online": True,
    }
    if keys.POWER_STATE in spec.values:
        claims["power_states"] = list(spec.power_states)
    if spec.camera is not None:
        claims["streaming_camera"] = spec.camera
    return claims


def abilities_of(catalog: Catalog, spec: ApplianceSpec) -> dict[str, object]:
    """What the appliance can take, for a run that writes.

    Args:
        catalog: gives the order of the keys.
        spec: the appliance as it leaves the factory.

    Returns:
        The fields `writable`, `enum_subset` and `samples`, each only if the appliance has something to say
        there.
    """
    writable = [
        entry.key
        for entry in catalog.settings
        if entry.key in spec.values and entry.key not in spec.read_only
    ]
    subsets = {
        key: list(spec.subsets[key]) for key in catalog.entries if key in spec.subsets and key in spec.values
    }
    samples: dict[str, list[str]] = {}
    if any(key in spec.values for key in keys.MAP_NAMES):
        samples["map_name"] = list(MAP_NAME_SAMPLES)
    if keys.CUSTOM_COLOR in spec.values:
        samples["custom_color"] = list(CUSTOM_COLOR_SAMPLES)
    found: dict[str, object] = {"writable": writable, "enum_subset": subsets, "samples": samples}
    return {field: facts for field, facts in found.items() if facts}
