"""Runs in this process in which every case is judged by its own check, and a disk that is full for it."""

import resource
from collections.abc import Collection, Generator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import pytest

from catalog.model import Level
from conformance.cases import all_cases, check_of
from conformance.checks.case import Case
from conformance.harness.scheduler import Scheduler
from conformance.harness.wire.network import SOCKETS
from conformance.harness.wire.transport import Transport
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.own_time import OwnTime
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.service import Service
from conformance.runs.judging import Judged
from conformance.runs.observed_run import ObservedRun
from conformance.runs.saved import restoring
from conformance.runs.session import Session
from conformance.selftest.support.ran import Ran

STILL = {"generated": 0, "generated_reads": 0, "generated_writes": 0}
"""A pace at which nothing is generated and no tour is played, so that a run is short."""


def session_of(  # noqa: PLR0913  one parameter for each thing that runs differ in
    service: Service,
    out: Path,
    level: Level = "read",
    tables: Mapping[str, object] | None = None,
    *,
    still: bool = True,
    knowledge: Knowledge = "full",
    base_url: str = BASE_URL,
    clock: OwnTime | None = None,
) -> closing[Session]:
    """A session with a service, in this process unless it is served at a `base_url`; nothing is sent yet.

    `tables` are laid over its truthful profile, which says as much as `knowledge`; where the run is `still`,
    over the pace STILL as well.
    """
    truth = truthful_profile(service, base_url, knowledge=knowledge) | ({"pace": STILL} if still else {})
    profile = build_profile({**truth, **(tables or {})})
    network = network_of({"": service}, clock) if base_url == BASE_URL else SOCKETS
    return closing(Session(profile, out, level, network=network))


@contextmanager
def restoring_in_process(service: Service) -> Generator[None]:
    """`restore` reaches a service in this process, by the address that a run of it has had."""
    network = network_of({"": service})
    with pytest.MonkeyPatch.context() as patch:
        for name, kind in (("Transport", Transport), ("Scheduler", Scheduler)):
            patch.setattr(restoring, name, partial(kind, network=network))
        yield


def begin(session: ObservedRun, clauses: Collection[str] = (), state: Path | None = None) -> list[Case]:
    """Selects the cases of a session, or those of some clauses, and reads for them.

    What its appliances are owed is kept in `state`, too.
    """
    cases = [
        case
        for case in all_cases(session.profile, session.level)
        if not case.is_of_absent_kind and (not clauses or case.clause.id in clauses)
    ]
    session.select(cases)
    session.read(state=state)
    return cases


def judge_all(session: ObservedRun, clauses: Collection[str] = ()) -> dict[str, Judged]:
    """Every case of a session, or those of some clauses, each judged by its own check."""
    cases = begin(session, clauses)
    session.write()
    return {case.id: session.judge(case, check_of(case)) for case in cases}


def ran_of(session: ObservedRun, cases: Mapping[str, Judged], out: Path) -> Ran:
    """The record of a session whose cases are judged; what it has written is put back."""
    return Ran(None, b"", out, cases=cases, left=[str(fault) for fault in session.finish()])


def run_of(  # noqa: PLR0913  see `session_of`, whose parameters these are
    service: Service,
    out: Path,
    level: Level,
    tables: Mapping[str, object] | None = None,
    *,
    clauses: Collection[str] = (),
    still: bool = True,
    knowledge: Knowledge = "full",
) -> Ran:
    """A run against a service at a level, of all clauses or some."""
    with session_of(service, out, level, tables, still=still, knowledge=knowledge) as session:
        return ran_of(session, judge_all(session, clauses), out)


@contextmanager
def no_file_over(size: int) -> Generator[None]:
    """Lets no file of this process grow beyond `size` bytes; what fits is written, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
