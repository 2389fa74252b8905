"""What a scenario is: a server, what a run is told of it, and what the run must come to."""

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec import Struct

from catalog.model import Level
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.profile import Knowledge
from conformance.reference.service import Service
from conformance.runs.observed_run import observed
from conformance.runs.saved.saved_run import SavedRun
from conformance.selftest.support.judged_runs import judge_all, ran_of, session_of
from conformance.selftest.support.ran import Ran, moves_in
from conformance.selftest.support.recording import values_of


class Scenario(Struct, frozen=True):
    """A row: one whole run. What is None, or not named, may come out in any way.

    Attributes:
        what: what it shows, in a few words; its name.
        server: the server, which is asked in this process.
        level, tables, clauses, still, knowledge: as `session_of` and `judge_all` have them.
        red: the clauses that fail, all of them; None where that is not what it is about.
        cases: the verdict of the cases whose ids are like a pattern, and words of what is said of each; all
            of them have it, and there is one at least. Behind a `!` stands a verdict that none has.
        verdicts: every verdict that there is, but for `not_applicable`.
        why_open: words of what is said of each case that is inconclusive.
        exempt: the states that excuse what is open.
        written: what the procedures wrote whose group begins so, `Key value` and commas, without what was
            put back.
        requests: how many requests they made, or among which numbers that is.
        writes_to: the ends of all keys that were written.
        prepared: the ends of the keys that were written to end a state.
        journal: whether anything was written at all.
        others: the settings that somebody else is said to write, as `haId Key`.
        told: the settings that the journal says to have moved, as `haId Key`.
        left: what is said not to have been put back.
        moved: the ends of the keys that have another value at last; nothing else has.
        environment: variables that the profile names; no file holds what they do.
        happens: a method of the suite, and what happens to the server whenever the run comes to it.
    """

    what: str
    server: type[Service]
    level: Level = "power"
    tables: Mapping[str, object] = {}
    clauses: tuple[str, ...] = ()
    still: bool = True
    knowledge: Knowledge = "full"
    red: frozenset[str] | set[str] | None = frozenset()
    cases: Mapping[str, str] = {}
    verdicts: set[str] | None = None
    why_open: str = ""
    exempt: set[str] | None = None
    written: Mapping[str, str] = {}
    requests: Mapping[str, int | range] = {}
    writes_to: set[str] | None = None
    prepared: set[str] | None = None
    journal: bool | None = None
    others: set[str] | None = None
    told: set[str] | None = None
    left: tuple[str, ...] = ()
    moved: frozenset[str] | set[str] = frozenset()
    environment: Mapping[str, str] = {}
    happens: tuple[type, str, Callable[[Any], object]] | None = None


def troubles(scenario: Scenario, out: Path) -> Iterator[str]:
    """How a run, with its files in `out`, comes to something else than its row says, a line each.

    Whatever the row says, no case is an error of the suite, and the ledger says the same when it is read.
    """
    service = scenario.server()
    before = values_of(service)
    with (
        patch.dict(os.environ, scenario.environment),
        _happening(scenario, service),
        session_of(
            service, out, scenario.level, scenario.tables, still=scenario.still, knowledge=scenario.knowledge
        ) as session,
    ):
        cases = judge_all(session, scenario.clauses)
        ran = ran_of(session, cases, out)
        if unlike := session.first_unlike(observed(SavedRun(out / LEDGER_FILE))):
            yield f"its ledger differs: {unlike}"
    yield from _unlike_verdicts(scenario, ran)
    yield from _unlike_writes(scenario, ran)
    after = values_of(service)
    moved = {_end(key) for (ha_id, key), value in before.items() if after[ha_id, key] != value}
    if moved != scenario.moved:
        yield f"moved {sorted(moved)}"


@contextmanager
def _happening(scenario: Scenario, service: Service) -> Generator[None]:
    """In which something happens to the server when the row says."""
    if not scenario.happens:
        yield
        return
    where, name, act = scenario.happens
    method = getattr(where, name)

    def come(own: Any, *words: Any, **more: Any) -> Any:
        act(service)
        return method(own, *words, **more)

    with patch.object(where, name, come):
        yield


def _end(key: str) -> str:
    return key.rpartition(".")[2]


def _settings(places: Iterable[tuple[str, str]]) -> set[str]:
    return {f"{ha_id} {_end(key)}" for ha_id, key in places}


def _unlike_verdicts(scenario: Scenario, ran: Ran) -> Iterator[str]:
    """What is judged otherwise than the row says."""
    yield from sorted(ran.errors())
    if scenario.red not in (None, ran.red()):
        yield f"red {sorted(ran.red())}"
    for pattern, said in scenario.cases.items():
        yield from _unlike_cases(pattern, said, ran)
    verdicts = {verdict for verdict, _ in ran.verdicts.values()} - {"not_applicable"}
    if scenario.verdicts not in (None, verdicts):
        yield f"verdicts {sorted(verdicts)}"
    exempt = {case.exempt for case in ran.cases.values()} - {""}
    if scenario.exempt not in (None, exempt):
        yield f"exempt {sorted(exempt)}"
    for case, (verdict, message) in ran.verdicts.items():
        if verdict == "inconclusive" and scenario.why_open not in message:
            yield f"{case} is open: {message}"


def _unlike_writes(scenario: Scenario, ran: Ran) -> Iterator[str]:
    """What is written otherwise than the row says."""
    for group, wanted in scenario.written.items():
        written = ", ".join(f"{key} {value}" for key, value in ran.writes(group))
        if written != wanted:
            yield f"written by {group}: {written}"
    for group, number in scenario.requests.items():
        if len(ran.requests(group)) not in (number if isinstance(number, range) else [number]):
            yield f"{len(ran.requests(group))} requests of {group}"
    intents = [line for line in ran.journal if line.get("intent") == "write"]
    prepared = {_end(line["key"]) for line in intents if line.get("prepared")}
    others = ((line["ha_id"], line["key"]) for line in ran.evidence if line["purpose"] == "others")
    for column, found, wanted in (
        ("writes to", {_end(line["key"]) for line in intents}, scenario.writes_to),
        ("prepared", prepared, scenario.prepared),
        ("journal", bool(ran.journal), scenario.journal),
        ("others", _settings(others), scenario.others),
        ("told", _settings(moves_in(ran.journal)), scenario.told),
        ("left", tuple(ran.left), scenario.left),
    ):
        if wanted not in (None, found):
            yield f"{column} {found}"
    somebody: set[str] = set()
    for line in ran.evidence:
        somebody |= {line["ha_id"]} if line["purpose"] == "others" else set()
        if line["purpose"] == "write" and "request" in line and line["ha_id"] in somebody:
            yield f"{line['key']} is written beside somebody else"
    files = b"".join(file.read_bytes() for file in ran.out.iterdir())
    yield from (f"{name} told" for name, value in scenario.environment.items() if value.encode() in files)


def _unlike_cases(pattern: str, said: str, ran: Ran) -> Iterator[str]:
    """The cases like a pattern of which something else is said, or that there is none."""
    wanted, _, words = said.partition(" ")
    found = {case: one for case, one in ran.verdicts.items() if fnmatchcase(case, pattern)}
    if not found:
        yield f"no case {pattern}"
    for case, (verdict, message) in found.items():
        is_as_said = verdict != wanted[1:] if wanted.startswith("!") else verdict == wanted
        if not is_as_said or words not in message:
            yield f"{case} {verdict}: {message}"
