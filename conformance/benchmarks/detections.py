"""Which mutants are detected by a run of the suite and by schemathesis' command, and in how many requests.

Schemathesis also finds fault with a server without a fault, for what the document leaves open: a mutant is
detected where an operation fails that does not fail, or not so, without the fault.

A run of schemathesis takes six seconds of a processor, most of them to draw its requests. Answers decide
which odd haIds it draws, and hardly how many requests it makes. So what it sends is recorded once for each
set of haIds. A mutant that answers all of that as its fleet does without the fault is taken for not detected;
of any other, those operations are run that are answered otherwise.
"""

import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import click

from conformance.benchmarks.measuring import Figure
from conformance.benchmarks.schemathesis_runs import failures, write_document
from conformance.cases import CATALOG
from conformance.mutants.registry import load_mutants
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import load_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.outcomes import judged_in
from conformance.proof.trials import all_trials
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.session import Session

_SEED = "1"
_SOUND: dict[str, type[Service]] = {}
"""Services without a fault, by the maker's name and the appliances."""
_SENT: dict[tuple[str, ...], list[Incoming]] = {}
"""What schemathesis sends, by the maker's name and the haIds."""


class Look(NamedTuple):
    """The requests that were sent to one mutant, and whether its fault was found."""

    requests: int
    found: bool


def measure(count: int | None) -> Iterator[Figure]:
    """How many of the mutants each of the two detects, and in how many requests.

    `count` are drawn at random; None for all. Each mutant is a line on standard error as soon as it was seen.
    """
    mutants = load_mutants()
    if count:
        mutants = random.Random(_SEED).sample(mutants, count)  # noqa: S311  a sample, not a secret
    alike = defaultdict[tuple[str, ...], list[str]](list)
    for mutant in mutants:
        alike[_ha_ids(mutant.service)].append(mutant.name)
    # classes of mutants are made from tables: a new interpreter cannot find them
    with get_context("fork").Pool() as pool:
        most_first = sorted(alike.values(), key=len, reverse=True)
        looks = [look for some in pool.imap_unordered(_looks, most_first) for look in some]
    yield from figures("suite", [ours for ours, _ in looks])
    yield from figures("schemathesis", [theirs for _, theirs in looks])


def figures(name: str, looks: Sequence[Look]) -> Iterator[Figure]:
    """The share of mutants that were detected, the requests for each, the faults found in 1,000 requests."""
    found, requests = sum(look.found for look in looks), sum(look.requests for look in looks)
    yield Figure(f"share of {len(looks)} mutants detected: {name}", (found / len(looks),), unit="")
    yield Figure(f"requests for each mutant: {name}", (requests / len(looks),), unit="")
    yield Figure(f"faults found in 1,000 requests: {name}", (1000 * found / requests,), unit="")


def _looks(names: Sequence[str]) -> list[tuple[Look, Look]]:
    """What came of looking for the faults of these mutants, which have the same haIds."""
    looks: list[tuple[Look, Look]] = []
    for name in names:
        looks.append((look_of_suite(name), look_of_schemathesis(all_trials()[name].server)))
        click.echo(f"{name}: suite {looks[-1][0]}, schemathesis {looks[-1][1]}", err=True)
    return looks


def look_of_suite(name: str) -> Look:
    """A run of the suite at the level that shows the mutant of this name, with the pace of loopback.

    The hooks of the server stand in for a person.
    """
    trial = all_trials()[name]
    service = trial.server()
    with TemporaryDirectory() as directory:
        path = Path(directory, "profile.toml")
        told = {field: table for field, table in trial.profile(service, BASE_URL).items() if field != "pace"}
        path.write_text(toml_of(told), encoding="utf-8")
        profile = load_profile(path, CATALOG, os.environ)
        network = network_of({f"/{name}": service})
        session = Session(profile, Path(directory), trial.level, network=network)
        assert session.live
        session.live.seed = _SEED
        results = judged_in(session)
    sent = results.run.requests
    return Look(sent.reads + sent.controls + sent.writes, results.verdict == "fail")


def look_of_schemathesis(kind: type[Service]) -> Look:
    """What schemathesis finds on a mutant that it does not find without the fault."""
    sound = _without_fault(kind)
    requests = _requests(sound)
    faulty, other = kind(), sound()
    answered_otherwise: frozenset[str] = frozenset(
        _operation(request) for request in requests if _answer(faulty, request) != _answer(other, request)
    )
    found = answered_otherwise and _failures(kind, answered_otherwise) - _failures(sound, answered_otherwise)
    return Look(len(requests), bool(found))


def _requests(sound: type[Service]) -> Sequence[Incoming]:
    """What a run of schemathesis sends to a server of these haIds."""
    named = (sound.vendor, *_ha_ids(sound))
    if named not in _SENT:
        sent = _SENT[named] = []

        def handle(self: Service, request: Incoming) -> Reply:
            if request.path.startswith("/api/"):  # it also asks what paths the server takes
                sent.append(request)
            return sound.handle(self, request)

        _failures(type("Recording", (sound,), {"handle": handle}), frozenset[str]())
    return _SENT[named]


def _answer(service: Service, request: Incoming) -> Reply:
    """What a service answers; where it raises, its server sends 500."""
    try:
        return service.handle(request)
    except Exception:  # noqa: BLE001  whatever it is, the server catches it
        return Reply(500)


def _without_fault(kind: type[Service]) -> type[Service]:
    """A service without a fault that has the appliances of a mutant; mutants with the same share one."""
    sound = type("Sound", (Service,), {"fleet": kind.fleet, "vendor": kind.vendor})
    return _SOUND.setdefault(f"{kind.vendor} {kind.fleet}", sound)


@cache
def _failures(kind: type[Service], operations: frozenset[str]) -> set[tuple[str, str]]:
    """The operations of a service that fail in a run of schemathesis, with the codes of their failures."""
    with TemporaryDirectory() as directory, serve({"": kind()}) as base_url:
        document = write_document(Path(directory), _ha_ids(kind), kind.vendor)
        return failures(document, base_url, operations)


def _operation(request: Incoming) -> str:
    """The path of the operation that a request is about; only its haId is drawn."""
    return "/api/homeappliances/{haId}/" + "/".join(request.path.split("/")[-2:])


def _ha_ids(kind: type[Service]) -> tuple[str, ...]:
    return tuple(spec.ha_id for spec in kind.fleet)
