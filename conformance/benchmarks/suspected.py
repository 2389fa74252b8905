"""Which mistakes of a profile the search for suspects finds: one at a time, in truthful profiles.

A mistake counts where it makes a verdict worse: a case fails or stays open that did not. Each is made on the
next server on which it counts, the reference and twenty variants in turn, until a hundred have been made.
"""

import time
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click
from msgspec.structs import replace

from catalog.model import Level
from conformance.benchmarks.measuring import Figure
from conformance.benchmarks.mistakes import MISTAKES, Mistake, Table
from conformance.cases import CATALOG
from conformance.mutants.registry import load_mutants
from conformance.profiles.fields import ProfileError
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.outcomes import judged_in
from conformance.proof.trials import PREFIX, all_trials
from conformance.records.results import Results, Suspect
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.runs.session import Session
from conformance.suspects.search import suspects_of

_NAMES = (
    *("reference", "body-flat", "body-in-a-list", "body-with-more-members", "body-bare", "maker-named"),
    *(
        "versioned-alias",
        "equal-twins",
        "maker-per-appliance",
        "statuses-under-settings-too",
        "zero-negative",
    ),
    *("labels-of-a-language", "list-not-advertised", "integers-with-point", "values-at-upper-ends"),
    *("values-at-lower-ends", "ranges-unlike-the-examples", "units-in-words", "contested-under-settings"),
    *("body-of-statuses-differs", "body-with-a-status-word"),
)
SERVERS = tuple(f"{name}.full" for name in _NAMES)
_WANTED = 100
_WORSE = frozenset({"fail", "inconclusive"})
WRONG_FOR_ALL = {
    "answer.value": "/val",
    "answer.key": "/data/type",
    "answer.min": "/data/constraints/max",
    "answer.unit": "/data/type",
    "target.vendor": "Acme",
    "http.success": "200-204,404",
}
"""Mistakes that show on each appliance: the more there are, the more is to be judged again."""
_STILL = {"generated": 0, "generated_reads": 0, "generated_writes": 0}


class Look(NamedTuple):
    """What came of a mistake: the place of its field among the suspects (0 for none), and the time in s."""

    mistake: Mistake
    server: str
    place: int
    seconds: float
    cases: int


def measure(wanted: int = _WANTED, mutants: int | None = None) -> Iterator[Figure]:
    """The share of mistakes that are the first suspect and among three, and of mutants that are talked away.

    Each mistake, and each mutant of which anything is suspected, is a line on standard error. `wanted`
    mistakes are made, and as many `mutants` judged, with truthful profiles; None for all.
    """
    found: list[Look] = []
    for look in looks(wanted):
        found.append(look)
        told = f"suspect {look.place}" if look.place else "not found"
        mistake = f"{look.mistake.field}: {look.mistake.wrong} on {look.server}"
        click.echo(f"{mistake}: {told}, {look.seconds:.1f} s for {look.cases:,} cases", err=True)
    number = len(found)
    first, any_of_three = (sum(one.place in places for one in found) / number for places in ({1}, {1, 2, 3}))
    yield Figure(f"share of {number} mistakes that are the first suspect", (first,), unit="")
    yield Figure(f"share of {number} mistakes among three suspects", (any_of_three,), unit="")
    yield Figure("time to search", tuple(one.seconds for one in found), 3, "s")
    yield _of_large_runs()
    yield from _of_mutants(mutants)


def _of_large_runs() -> Figure:
    """The time to search runs of more than ten thousand cases, all of whose appliances a mistake concerns."""

    class Large(Service):
        fleet = (*Service.fleet, *(replace(one, ha_id=f"{one.ha_id}-again") for one in Service.fleet))

    truth: dict[str, Any] = {**truthful_profile(Large(), BASE_URL), "pace": _STILL}
    seconds: list[float] = []
    for field, wrong in WRONG_FOR_ALL.items():
        table, _, name = field.partition(".")
        data = {**truth, table: {**truth.get(table, {}), name: wrong}}
        results, _, took = _judged(Large(), "", data, "read")
        click.echo(f"{field}: {wrong}: {took:.1f} s for {len(results.cases):,} cases", err=True)
        seconds.append(took)
    return Figure("time to search a run of more than 10,000 cases", tuple(seconds), 3, "s")


def _of_mutants(most: int | None) -> Iterator[Figure]:
    """The share of mutants whose fault an edit of a truthful profile explains, or perhaps explains."""
    names = [mutant.name for mutant in load_mutants()]
    names = names[:: max(1, len(names) // most)] if most else names
    talked, perhaps = 0, 0
    for name in names:
        trial = all_trials()[name]
        _, suspects, _ = _run(name, trial.profile(trial.server(), BASE_URL), trial.level)
        talked += any(one.explains or one.shown for one in suspects)
        perhaps += any(one.perhaps for one in suspects)
        if suspects:
            click.echo(f"{name}: {', '.join(one.toml for one in suspects)}", err=True)
    yield Figure(f"share of {len(names)} mutants that an edit explains", (talked / len(names),), 0, "")
    yield Figure(f"share of {len(names)} mutants that are also possible", (perhaps / len(names),), 0.02, "")


def looks(wanted: int) -> Iterator[Look]:
    """What comes of each mistake, on one server after the other."""
    left = wanted
    for turn in count():
        for number, mistake in enumerate(MISTAKES):
            offered = (SERVERS[(number + turn + step) % len(SERVERS)] for step in range(len(SERVERS)))
            look = next((look for server in offered for look in _look(mistake, server)), None)
            if look:
                yield look
                left -= 1
            if not left:
                return


def _look(mistake: Mistake, server: str) -> Iterator[Look]:
    """What comes of a mistake on a server; nothing where it makes no verdict worse."""
    for wrong in mistake.make(_truth(server)):
        try:
            results, suspects, seconds = _run(server, wrong, mistake.level)
        except ProfileError:
            continue
        right = _right(server, mistake.level)
        if any(case.verdict in _WORSE and right.get(case.id, "") not in _WORSE for case in results.cases):
            fields = [one.field for one in suspects]
            place = next((at for at, field in enumerate(fields, start=1) if _is_of(field, mistake.field)), 0)
            yield Look(mistake, server, place, seconds, len(results.cases))
            return


def _is_of(field: str, wanted: str) -> bool:
    """Whether a suspect is the field of a mistake; statuses may have a table, and an appliance its maker."""
    return field.replace("appliance.vendor", "target.vendor").replace("answer.status.", "answer.") == wanted


@cache
def _truth(server: str) -> Table:
    trial = all_trials()[server]
    data: dict[str, Any] = trial.profile(trial.server(), BASE_URL)
    return {**data, "pace": _STILL}


@cache
def _right(server: str, level: Level) -> dict[str, str]:
    results, _, _ = _run(server, _truth(server), level)
    return {case.id: case.verdict for case in results.cases}


def _run(name: str, data: Table, level: Level) -> tuple[Results, tuple[Suspect, ...], float]:
    """The results of a run, its suspects, and how long it took to find them."""
    return _judged(all_trials()[name].server(), PREFIX, data, level)


def _judged(
    service: Service, prefix: str, data: Table, level: Level
) -> tuple[Results, tuple[Suspect, ...], float]:
    """The same of a server below a prefix."""
    profile = build_profile(data, CATALOG)
    with TemporaryDirectory() as directory:
        session = Session(profile, Path(directory), level, network=network_of({prefix: service}))
        results = judged_in(session)
        begun = time.process_time()
        return results, suspects_of(session.contents, results), time.process_time() - begun
