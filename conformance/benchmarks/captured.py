"""What a capture shows of the faults that reads show: ledgers of mutants, as somebody else would record them.

Each ledger becomes HAR, without any mark of this suite, and is judged as a capture. What is compared is what
the same ledger shows where only its shared reads are kept, and those that were made again.
"""

import base64
import json
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from msgspec import Struct

from catalog.model import Level
from conformance.benchmarks.measuring import Figure, spend
from conformance.captures.recorded import CaptureError
from conformance.captures.taking import take
from conformance.cases import CATALOG, all_cases, check_of
from conformance.checks.exchange import Exchange, Response
from conformance.checks.groups import ProcedureKind
from conformance.harness.ledger import LedgerContents, read_ledger
from conformance.mutants.registry import load_mutants
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.outcomes import judged_in
from conformance.proof.trials import PREFIX, Trial, all_trials
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session

SCRIPTS = Path(sys.executable).parent
MANY = 100_000
_IDENTITY = "0", "0" * 64, "0" * 64


class Shown(Struct, frozen=True):
    """The clauses that a server contradicts by its shared reads, and by the capture of its reads."""

    shared: frozenset[str]
    seen: frozenset[str]


def measure(mutants: int | None = None, size: int = MANY) -> Iterator[Figure]:
    """The share of faults that a capture misses, its false findings, and the time and memory of a large one.

    Each fault that is missed, and each false finding, is a line on standard error. As many `mutants`, and as
    many conforming servers, are judged; None for all. `size` is the number of exchanges of a large capture.
    """
    with TemporaryDirectory() as directory:  # first: a process that is large makes large ones
        yield from _of_many(Path(directory), size)
    faulty = {mutant.name for mutant in load_mutants()}
    trials = [
        one for one in all_trials().values() if one.level == "read" and not one.name.endswith(".remote")
    ]
    bad = _drawn([one for one in trials if one.name in faulty], mutants)
    good = _drawn([one for one in trials if one.name not in faulty and ".unearned" not in one.name], mutants)
    found = {trial.name: shown_by(trial) for trial in bad}
    known = {name: shown for name, shown in found.items() if shown.shared}
    missed = [name for name, shown in known.items() if not shown.shared & shown.seen]
    false = [trial.name for trial in good if shown_by(trial).seen]
    for name in missed:
        click.echo(f"{name}: missed, {', '.join(sorted(known[name].shared))}", err=True)
    for name in false:
        click.echo(f"{name}: a false finding", err=True)
    yield Figure(
        f"share of {len(known)} faults that are missed", (len(missed) / max(len(known), 1),), 0.1, ""
    )
    yield Figure(f"false findings on {len(good)} servers", (len(false),), 0, "")


def shown_by(trial: Trial) -> Shown:
    """What a server is found to contradict, with its truthful profile."""
    service = trial.server()
    profile = build_profile(trial.profile(service, BASE_URL), CATALOG)
    with TemporaryDirectory() as name:
        directory = Path(name)
        session = Session(profile, directory, "read", network=network_of({PREFIX: service}))
        judged_in(session)
        whole = read_ledger(directory / LEDGER_FILE)
        har = har_of(whole.exchanges, directory / "capture.har")
        try:
            take([har], profile, directory / "seen.ndjson", _IDENTITY, CATALOG)
        except CaptureError:  # nothing of it is about an entry
            return Shown(frozenset(), frozenset())
        seen = SavedRun(directory / "seen.ndjson")
        own = [one for one in whole.exchanges if not one.group or one.group.kind is ProcedureKind.AGAIN]
        reads = whole._replace(exchanges=own)
        return Shown(
            _contradicted(profile, "read", reads, directory),
            _contradicted(profile, "seen", read_ledger(seen.ledger), directory),
        )


def har_of(exchanges: Sequence[Exchange], path: Path) -> Path:
    """Exchanges as a browser or a proxy saves them: one that got no answer with the status 0."""
    entries = [_entry(exchange) for exchange in exchanges if exchange.response or exchange.failure]
    log = {"version": "1.2", "creator": {"name": "a proxy", "version": "1"}, "entries": entries}
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    return path


def _drawn(trials: Sequence[Trial], most: int | None) -> Sequence[Trial]:
    return trials[:: max(1, len(trials) // most)][:most] if most else trials


def _contradicted(profile: Profile, level: Level, contents: LedgerContents, out: Path) -> frozenset[str]:
    session = Session(profile, out, level, saved=contents)
    cases = all_cases(profile, level)
    session.select(cases)
    session.read()
    return frozenset(
        case.clause.id for case in cases if session.judge(case, check_of(case)).verdict == "fail"
    )


def _entry(exchange: Exchange, later: timedelta = timedelta()) -> dict[str, object]:
    response = exchange.response or Response(0, (), b"", 0)
    try:
        content = {"text": response.body.decode()}
    except UnicodeDecodeError:
        content = {"text": base64.b64encode(response.body).decode(), "encoding": "base64"}
    sent = {"postData": {"text": exchange.request.body}} if exchange.request.body else {}
    return {
        "startedDateTime": (datetime.fromisoformat(exchange.at) + later).isoformat(),
        "time": response.elapsed_ms,
        "request": {
            "method": exchange.request.method,
            "url": exchange.request.url,
            "headers": _pairs(exchange.request.headers),
            **sent,
        },
        "response": {
            "status": response.status,
            "headers": _pairs(response.headers),
            "content": {"size": len(response.body), **content},
        },
    }


def _pairs(headers: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers]


def _of_many(directory: Path, size: int) -> Iterator[Figure]:
    """How long a large capture takes, and how much memory: the reads of the reference, hour after hour."""
    trial = all_trials()["reference.full"]
    service = trial.server()
    profile = build_profile(trial.profile(service, BASE_URL), CATALOG)
    judged_in(Session(profile, directory / "run", "read", network=network_of({PREFIX: service})))
    shared = [one for one in read_ledger(directory / "run" / LEDGER_FILE).exchanges if not one.group]
    entries = [
        _entry(shared[number % len(shared)], timedelta(hours=number // len(shared))) for number in range(size)
    ]
    har = directory / "many.har"
    with har.open("w", encoding="utf-8") as file:
        json.dump({"log": {"version": "1.2", "entries": entries}}, file)
    words = (
        str(SCRIPTS / "appliance-conformance"),
        "judge",
        str(har),
        "--out",
        str(directory / "out"),
        "--",
        "--no-renderings",
    )
    spent = spend(words, directory)
    yield Figure(f"a capture of {size:,} exchanges", (spent.wall_s,), 20, "s")
    yield Figure(f"a capture of {size:,} exchanges", (spent.peak_bytes / 1e6,), 300, "MB")
