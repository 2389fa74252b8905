"""Runs in this process in which every case is judged by its own check."""

from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.model import Level
from conformance.cases import CATALOG, all_cases, check_of
from conformance.checks.case import Case
from conformance.harness.wire.network import SOCKETS
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.own_time import OwnTime
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.service import Service
from conformance.runs.judging import Judged
from conformance.runs.session import Session
from conformance.selftest.support.owed_journals import lines_of

STILL = {"generated": 0, "generated_reads": 0, "generated_writes": 0}
"""A pace at which nothing is generated and no tour is played, so that a run is short."""


@dataclass
class Run:
    """A run that has ended: what is shown of each case, what could not be put back, and its files."""

    cases: dict[str, Judged]
    left: list[str]
    out: Path

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """The lines of its ledger."""
        return lines_of(self.out / LEDGER_FILE)

    @property
    def journal(self) -> list[dict[str, Any]]:
        """The lines of its journal; none where nothing was written."""
        return lines_of(self.out / JOURNAL_FILE)

    @property
    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Verdict and finding of each case."""
        return {name: (case.verdict, case.message) for name, case in self.cases.items()}

    def said(self, clause: str, key: str = "") -> tuple[str, str]:
        """Verdict and finding of the one case of a clause, on a key that ends so."""
        (found,) = (
            one for name, one in self.verdicts.items() if name.startswith(f"{clause}::") and key in name
        )
        return found

    def red(self) -> set[str]:
        """The clauses that failed."""
        return {
            name.partition("::")[0]
            for name, (verdict, _) in self.verdicts.items()
            if verdict in {"fail", "error"}
        }

    def errors(self) -> set[str]:
        """What is said of the cases that are the suite's own fault."""
        return {message for verdict, message in self.verdicts.values() if verdict == "error"}

    def requests(self, group: str | tuple[str, ...]) -> list[dict[str, Any]]:
        """The exchanges of the procedures whose group begins so."""
        return [
            line
            for line in self.evidence
            if "request" in line and line["groups"] and line["groups"][0].startswith(group)
        ]

    def written(self, group: str) -> list[tuple[str, Any]]:
        """The writes of these procedures, by the ends of keys and values, without what was put back."""
        writes = [line for line in self.requests(group) if line["purpose"] == "write"]
        return [
            (str(line["key"]).rpartition(".")[2], str(line["value"]).rpartition(".")[2]) for line in writes
        ]


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
    profile = build_profile({**truth, **(tables or {})}, CATALOG)
    network = network_of({"": service}, clock) if base_url == BASE_URL else SOCKETS
    return closing(Session(profile, out, level, network=network))


def begin(session: Session, clauses: Collection[str] = (), state: Path | None = None) -> list[Case]:
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


def judge_all(session: Session, clauses: Collection[str] = ()) -> dict[str, Judged]:
    """Every case of a session, or those of some clauses, each judged by its own check."""
    cases = begin(session, clauses)
    session.write()
    return {case.id: session.judge(case, check_of(case)) for case in cases}


def run_of(  # noqa: PLR0913  see `session_of`, whose parameters these are
    service: Service,
    out: Path,
    level: Level,
    tables: Mapping[str, object] | None = None,
    *,
    clauses: Collection[str] = (),
    still: bool = True,
    knowledge: Knowledge = "full",
    base_url: str = BASE_URL,
) -> Run:
    """A run against a service at a level, of all clauses or some."""
    with session_of(
        service, out, level, tables, still=still, knowledge=knowledge, base_url=base_url
    ) as session:
        cases = judge_all(session, clauses)
        return Run(cases, [str(fault) for fault in session.finish()], out)
