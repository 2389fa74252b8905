"""A certificate of a run of one appliance, signed with a key of openssl, and what `verify` says of it."""

import subprocess
from datetime import datetime
from pathlib import Path
from typing import Final

from catalog.model import Level
from conformance.profiles.model import Profile
from conformance.records.known_faults import FoundFaults, RunPower
from conformance.runs.saved.verifying import Verified, verify

SMALL: Final = ("variant:off-means-standby", "--level", "read")
"""The words of a run of one appliance."""


def openssl(*words: str) -> str:
    """What openssl says; it ends well, or the test does not."""
    return subprocess.run(["openssl", *words], check=True, capture_output=True, text=True).stdout


def verified(path: Path, key: Path | None = None, *, found: int = 0, now: datetime | None = None) -> Verified:
    """What `verify` says where the mutants, if they are judged, give a power of so many of ten faults."""

    def power_of(profile: Profile, level: Level) -> RunPower:
        assert (len(profile.appliance), level) == (1, "read")
        return RunPower(level, FoundFaults(found, 10))

    return verify(path, key, power_of=power_of, now=now)
