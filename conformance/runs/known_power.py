"""The power of a profile, where `prove --like` has found it: one file for each profile and level.

It stands in the user's state directory, and is that of this suite alone: of another one, which may find other
faults, nothing is known.
"""

import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from catalog.model import Level
from conformance.files.text_files import write_bytes
from conformance.profiles.model import Profile
from conformance.profiles.validation import dump_profile
from conformance.records.known_faults import RunPower
from conformance.runs.identity import suite_digest

_NO_PART = ("target", "auth", "http", "waiver", "judging", "fleet", "template", "timing")
"""Tables without a part in it, as a whole: which target it is, how it is reached, how long it takes."""
_TRIES = ("most_tries", "repeat_sample")
"""What counts of the times that a profile declares: waits are those of each mutant."""


class _KeptPower(msgspec.Struct):
    """A power, and the suite that has found it."""

    suite: str
    power: RunPower


def known_power(state: Path | None, profile: Profile, level: Level) -> RunPower | None:
    """The power of a run of `level` with a profile; None where this suite has not found it."""
    if state is None:
        return None
    with suppress(OSError, msgspec.MsgspecError):
        known = msgspec.json.decode(_place(state, profile, level).read_bytes(), type=_KeptPower)
        if known.suite == suite_digest():
            return known.power
    return None


def keep_power(state: Path, profile: Profile, power: RunPower) -> None:
    """Keeps the power of a profile.

    Raises:
        OSError: when the file cannot be written.
    """
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    kept = msgspec.json.encode(_KeptPower(suite_digest(), power))
    write_bytes(_place(state, profile, power.level), [kept])


def _place(state: Path, profile: Profile, level: Level) -> Path:
    """The file of a profile: another one for each that may have another power."""
    data: dict[str, Any] = dump_profile(profile)
    times: dict[str, Any] = data.get("timing", {})
    rest = {table: told for table, told in data.items() if table not in _NO_PART}
    tries = {name: told for name, told in times.items() if name in _TRIES}
    waived = sorted(waiver.case for waiver in profile.waiver)
    said = json.dumps([rest, tries, waived, profile.is_loopback, level], sort_keys=True)
    return state / f"power-{hashlib.sha256(said.encode()).hexdigest()[:32]}.json"
