"""Runs in this process in which every case is judged by its own check."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from catalog.model import Level
from conformance.cases import CATALOG, all_tests, cases_of, derivations_of
from conformance.harness.ledger import LEDGER_FILE
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.service import Service
from conformance.runs.processes.items import CaseJudge
from conformance.runs.session import Session
from conformance.selftest.support.writing_runs import lines_of


@dataclass
class Run:
    """A run that has ended: what is shown of each case, what could not be put back, and its files."""

    cases: dict[str, dict[str, Any]]
    left: list[str]
    out: Path

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """The lines of its ledger."""
        return lines_of(self.out / LEDGER_FILE)

    @property
    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Verdict and finding of each case."""
        return {name: (case["verdict"], case["message"]) for name, case in self.cases.items()}

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

    def requests(self, group: str) -> list[dict[str, Any]]:
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


def judge_all(session: Session, clauses: Collection[str] = ()) -> dict[str, dict[str, Any]]:
    """What is shown of every case of a session, or of those of some clauses, each judged by its own check."""
    pairs = [
        (function, case)
        for function in all_tests()
        for case in cases_of(derivations_of(function), session.profile, session.level)
    ]
    wanted = [
        (function, CaseJudge(session, case)) for function, case in pairs if not case.ha_id.startswith("no-")
    ]
    judges = [
        (function, judge) for function, judge in wanted if not clauses or judge.case.clause.id in clauses
    ]
    session.select([judge.case for _, judge in judges])
    session.read()
    session.write()
    for function, judge in judges:
        with suppress(
            Exception, pytest.fail.Exception, pytest.skip.Exception
        ):  # what it says is in its properties
            function(judge)
    return {judge.case.id: dict(judge.properties) for _, judge in judges}


def run_of(  # noqa: PLR0913  one parameter for each thing that runs differ in
    service: Service,
    out: Path,
    level: Level,
    tables: Mapping[str, object] | None = None,
    *,
    clauses: Collection[str] = (),
    knowledge: Knowledge = "full",
) -> Run:
    """A run against a service at a level, of all clauses or some.

    `tables` are laid over its truthful profile, which says as much as `knowledge`.
    """
    truth = truthful_profile(service, BASE_URL, knowledge=knowledge)
    profile = build_profile({**truth, **(tables or {})}, CATALOG)
    with closing(Session(profile, out, level, network=network_of({"": service}))) as session:
        cases = judge_all(session, clauses)
        return Run(cases, [str(fault) for fault in session.finish()], out)
