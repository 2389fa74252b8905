"""What outlives a run's directory: what each appliance is owed, which run is at work on it, what was sent.

In the user's state directory or that of `--state` there is a lock as long as a run lasts, which names its
appliances, a journal for an appliance as long as something is owed, and a file for a target: how many
requests it had today. Only their owner can read them. The servers of the suite have none: they end with the
run.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

from platformdirs import user_state_path

from conformance.harness.day_budget import DayBudget
from conformance.harness.writes.keeping.journal import Journal, JournalFile
from conformance.harness.writes.keeping.owed import Debt, owed_in, read_journal
from conformance.profiles.model import Profile
from conformance.records.journal_lines import JOURNAL_FILE, JournalError, journal_lines
from conformance.runs.targets import is_embedded

_SUFFIX = ".ndjson"
_PORTS = {"http": 80, "https": 443}


def state_directory(target: str, given: Path | None) -> Path | None:
    """The directory of the appliances' state: `given`, else the user's; None for a server of the suite."""
    if is_embedded(target):
        return None
    return given.absolute() if given else user_state_path("appliance-conformance")


def record_of(state: Path, base_url: str, ha_id: str) -> Path:
    """The journal of what an appliance is owed."""
    return state / f"{name_of(base_url, ha_id)}{_SUFFIX}"


def budget_of(profile: Profile, state: Path | None) -> DayBudget:
    """What may still be sent to a target today, by what all runs have sent that share a state directory."""
    return DayBudget(
        profile, state / f"{name_of(profile.target.base_url, 'requests')}.json" if state else None
    )


def owed_to(profile: Profile, state: Path) -> Mapping[Path, list[Debt]]:
    """What the appliances of a profile are owed, by the journal from which it can be put back.

    That is the journal of the run as long as it is there, since it holds what all appliances are owed, else
    that of the appliance.

    Raises:
        JournalError: when a journal cannot be read.
    """
    owed: dict[Path, list[Debt]] = {}
    for ha_id in dict.fromkeys(appliance.ha_id for appliance in profile.appliance):
        record = record_of(state, profile.target.base_url, ha_id)
        debts = owed_in(record)
        if debts:
            owed.setdefault(_place_to_restore_from(record, ha_id), []).extend(debts)
    return owed


def new_journal(
    out: Path, header: Mapping[str, Any], profile: Profile, state: Path | None, *, goes_on_since: str = ""
) -> Journal:
    """The journal of a run that begins, in `out`, and a copy in `state` for each appliance.

    That of a run that goes on from another one holds the lines of that one, too, if it `goes_on_since` the
    time (RFC 3339) at which that one was started.

    Raises:
        JournalError: when one of the files still owes something, or cannot be read.
    """
    kept = {"embedded": True} if state is None else {"state": str(state)}
    header = {**header, "run": uuid4().hex, **kept}
    place = (out / JOURNAL_FILE).absolute()
    records: dict[str, list[JournalFile]] = {}
    if state:
        for ha_id in (appliance.ha_id for appliance in profile.appliance):
            own = {**header, "journal": str(place), "ha_id": ha_id}
            record = record_of(state, profile.target.base_url, ha_id)
            records[ha_id] = [JournalFile(record, own, private=True)]
    earlier = journal_lines(place) if goes_on_since and place.is_file() else []
    is_its_own = bool(earlier) and str(earlier[0].get("at")) >= goes_on_since
    return Journal(JournalFile(place, header, earlier=earlier if is_its_own else ()), records)


def forget_settled(base_url: str, ha_ids: Iterable[str], state: Path) -> None:
    """Deletes the journals of the appliances that are owed nothing; their locks are held."""
    for ha_id in ha_ids:
        record = record_of(state, base_url, ha_id)
        with suppress(JournalError, OSError):  # what cannot be read is not known to be settled
            if record.is_file() and not owed_in(record):
                record.unlink()


def continued_journal(path: Path) -> Journal:
    """The journal of a killed run, to be continued, with the copies that are still there.

    Raises:
        JournalError: when it is no journal.
    """
    copies: dict[str, list[JournalFile]] = {}
    for other, ha_ids in _others(path).items():
        file = JournalFile.continued(other)
        for ha_id in ha_ids:
            copies.setdefault(ha_id, []).append(file)
    return Journal(JournalFile.continued(path), copies)


def _others(path: Path) -> dict[Path, list[str]]:
    """The other files that say what is owed of a journal, each with the haIds that it is about.

    That is the journal of the run beside the copy of an appliance, and the copies beside that of a run;
    beside that of a merged run the journals of its shards, too, and their copies; beside any of these the
    journals that it was joined into.
    """
    header = read_journal(path).header
    runs: list[object] = header.get("runs", [header.get("run")])
    if "journal" in header:
        ha_ids, run = [str(header.get("ha_id"))], Path(str(header["journal"]))
        return dict.fromkeys([*_of_runs([run], runs), *_joined(path, runs)], ha_ids)
    shards = _of_runs(map(Path, header.get("journals", ())), runs)
    found: dict[Path, list[str]] = {}
    for place in (path, *shards):
        found |= dict.fromkeys([place, *_joined(place, runs)], sorted(_ha_ids_in(place)))
        state = Path(str(read_journal(place).header.get("state", "")))
        records = sorted(state.glob(f"*{_SUFFIX}")) if state.is_absolute() else []
        found |= {
            record: [str(read_journal(record).header.get("ha_id"))] for record in _of_runs(records, runs)
        }
    return {place: ha_ids for place, ha_ids in found.items() if not place.samefile(path)}


def _joined(journal: Path, runs: Collection[object]) -> list[Path]:
    """The journals into which one of these runs was joined, where they still hold that run."""
    return _of_runs((Path(line["joined"]) for line in journal_lines(journal) if "joined" in line), runs)


def _ha_ids_in(journal: Path) -> set[str]:
    """The haIds of the appliances that a journal has lines about."""
    return {str(line["ha_id"]) for line in journal_lines(journal) if "ha_id" in line}


def _of_runs(places: Iterable[Path], runs: Collection[object]) -> list[Path]:
    """The journals among some files that hold what one of these runs has written."""
    return [place for place in places if any(run in runs for run in _runs_of(place))]


def _runs_of(path: Path) -> list[object]:
    """The runs of which a journal holds what they have written; none where there is no journal."""
    try:
        header = read_journal(path).header
    except JournalError:
        return []
    return header.get("runs", [header.get("run")])


def _place_to_restore_from(record: Path, ha_id: str) -> Path:
    header = read_journal(record).header
    run = Path(str(header.get("journal")))
    same = header.get("run") in _runs_of(run)
    return run if same and any(debt.ha_id == ha_id for debt in owed_in(run)) else record


def name_of(base_url: str, ha_id: str) -> str:
    """The name by which an appliance is known there: readable, and another one for each target and haId."""
    digest = hashlib.sha256(f"{normalized(base_url)}\n{ha_id}".encode()).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', ha_id)[:40].strip('-')}-{digest[:16]}"


def normalized(base_url: str) -> str:
    """A base URL in one spelling: lower case, no default port, no slash at the end, localhost by number."""
    parts = urlsplit(base_url)
    host = (parts.hostname or "").rstrip(".")
    host = "127.0.0.1" if host == "localhost" else host
    port = parts.port or _PORTS.get(parts.scheme)
    return f"{parts.scheme}://{host}:{port}{parts.path.rstrip('/')}"
