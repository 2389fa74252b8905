"""restore: what it must not do stays owed, what it cannot use is wrong usage, and no secret is kept."""

from pathlib import Path
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK, DOOR_STATE, ON, POWER_STATE
from conformance.reference.profile import truthful_profile
from conformance.selftest.support.commanding import said
from conformance.selftest.support.owed_journals import intent, journal, served
from conformance.selftest.support.servers.recording import MACHINE_ID, OVEN_ID, Recording

STANDBY = f"{ON.removesuffix('On')}Standby"
_HEAD = b'{"n": 0, "schema": "appliance-conformance/journal/1"}\n'
NO_JOURNALS = {
    "nothing": b"",
    "words": b"hello\n",
    "a list": b"[]\n",
    "another file of ours": b'{"n": 0, "purpose": "run", "schema": "appliance-conformance/evidence/1"}\n',
    "bytes": b"\xff\xfe\x00",
    "a journal with a hole": _HEAD + b'{"n": 1, "int\n{"n": 2, "end": true}\n',
    "a journal of nobody": _HEAD
    + b'{"n": 1, "intent": "write", "ha_id": "one", "key": "k", "segment": "settings", "before": 1}\n',
    "an intent of nothing": _HEAD + b'{"n": 1, "intent": "write"}\n',
}
NOBODYS = intent(CHILD_LOCK, before=True, ha_id="nobody")
UNKNOWN = intent("Vendor.Common.Setting.Nothing", before=True)
DOOR = intent(DOOR_STATE, "x", segment="status")
LOCKED = intent(CHILD_LOCK, before=True)


class Guarded(Recording):
    """Asks for a token."""

    def __init__(self) -> None:
        super().__init__()
        self.token = "open sesame"


FORBIDDEN: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "not on the list": (LOCKED, {"allow": [POWER_STATE]}, "power", "not on the write list"),
    "a status": (DOOR, {"status_path": None}, "power", "is tried is not declared"),
    "the level": (intent(POWER_STATE, STANDBY), {}, "write", "PowerState is written at level power"),
    "only reading": (LOCKED, {}, "read", "the run only reads"),
    "nobody's appliance": (NOBODYS, {}, "power", "the profile names no such appliance"),
    "nobody's key": (UNKNOWN, {}, "power", "the catalog has no such key"),
    "an unknown old value": (intent(CHILD_LOCK, before=None), {}, "power", "what was there before is not"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_must_not_be_written_is_said(name: str, tmp_path: Path) -> None:
    """What profile and level do not allow is never written, whatever the journal says, and stays owed."""
    line, write, level, reason = FORBIDDEN[name]
    service = Recording()
    with served(service) as profile:
        profile["write"] = profile["write"] | write
        place = journal(tmp_path, profile, line, level=level)
        results = [said("restore", str(place)) for _ in range(2)]
    for result in results:
        assert (result.exit_code, reason in result.output) == (5, True)
        assert result.output.startswith(f"NOT put back: {line['ha_id']} ")
    assert service.writes() == service.writes(OVEN_ID) == []


def test_forbidden_key_does_not_keep_the_others(tmp_path: Path) -> None:
    """What may be written is put back beside a key that may not."""
    service = Recording()
    with served(service) as profile:
        service.appliances[MACHINE_ID].values |= {CHILD_LOCK: True, POWER_STATE: STANDBY}
        profile["write"] = profile["write"] | {"allow": [CHILD_LOCK]}
        owed = (intent(POWER_STATE, ON), intent(CHILD_LOCK, before=False))
        result = said("restore", str(journal(tmp_path, profile, *owed)))
    was = f'NOT put back: {MACHINE_ID} PowerState was "{ON}", is "{STANDBY}" (not on the write list'
    assert (result.exit_code, was in result.output) == (5, True)
    assert (service.appliances[MACHINE_ID].values[CHILD_LOCK], service.writes()) == (False, [CHILD_LOCK])


@pytest.mark.parametrize("name", NO_JOURNALS)
def test_what_is_no_journal_is_wrong_usage(name: str, tmp_path: Path) -> None:
    """A file that is no journal of this suite, or one with a hole, ends with 2 and one line that names it."""
    place = tmp_path / "journal.ndjson"
    place.write_bytes(NO_JOURNALS[name])
    result = said("restore", str(place))
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert result.output.startswith(str(place))


def test_no_file_is_wrong_usage(tmp_path: Path) -> None:
    """A path where nothing is, or a directory, ends with 2."""
    assert [said("restore", str(tmp_path / name)).exit_code for name in ("nothing", ".")] == [2, 2]


def test_mistake_in_the_profile_is_wrong_usage(tmp_path: Path) -> None:
    """A profile in the first line that has a mistake, of another version perhaps, is said with its place."""
    profile = truthful_profile(Recording(), "http://127.0.0.1:9") | {"pace": {"per_minut": 5}}
    result = said("restore", str(journal(tmp_path, profile, intent(CHILD_LOCK, before=False))))
    says = "journal.ndjson: 1 mistake\n  pace.per_minut: no such field (did you mean 'per_minute'?)"
    assert (result.exit_code, says in result.output) == (2, True)


def test_missing_secret_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that is not set is named, and nothing is sent without it."""
    monkeypatch.delenv("REFERENCE_TOKEN", raising=False)
    service = Guarded()
    with served(service) as profile:
        result = said("restore", str(journal(tmp_path, profile, intent(CHILD_LOCK, before=False))))
    assert (result.exit_code, service.requests) == (2, [])
    assert "names ${REFERENCE_TOKEN}, which is not set in the environment" in result.output


def test_secret_is_used_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its secret the target lets itself be restored, and no file holds it."""
    monkeypatch.setenv("REFERENCE_TOKEN", "open sesame")
    service = Guarded()
    with served(service) as profile:
        service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
        result = said("restore", str(journal(tmp_path, profile, intent(CHILD_LOCK, before=False))))
    assert (result.exit_code, service.appliances[MACHINE_ID].values[CHILD_LOCK]) == (0, False)
    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == ["journal.ndjson", "restore-evidence.ndjson"]
    assert b"open sesame" not in b"".join(path.read_bytes() for path in files)


def test_secret_in_a_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that is in the journal already, here as a group, is said, though everything is back."""
    monkeypatch.setenv("REFERENCE_TOKEN", "open sesame")
    leaking = intent(CHILD_LOCK, before=False) | {"group": "open sesame"}
    with served(Guarded()) as profile:
        result = said("restore", str(journal(tmp_path, profile, leaking)))
    assert result.exit_code == 5
    assert "a secret is in an output: journal.ndjson holds ${REFERENCE_TOKEN}" in result.output
