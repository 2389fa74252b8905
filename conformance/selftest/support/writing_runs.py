"""Small runs that write, in this process, and journals made by hand."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from catalog.model import Level
from conformance.cases import CATALOG, all_cases
from conformance.checks.case import Case
from conformance.checks.premise import Check
from conformance.checks.view import View
from conformance.harness.ledger import LEDGER_FILE
from conformance.harness.writes.keeping.journal import JOURNAL
from conformance.harness.writes.keeping.owed import SCHEMA
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.runs.judging import Judged
from conformance.runs.session import Session
from conformance.selftest.support.servers.recording import MACHINE_ID

STILL = {"generated": 0, "generated_reads": 0, "generated_writes": 0}
"""A pace at which no order of writes is searched for."""


@dataclass
class Performed:
    """What a run did: its cases with what was said of them, what could not be put back, and its files."""

    judged: dict[str, Judged]
    left: list[str]
    out: Path

    @property
    def journal(self) -> list[dict[str, Any]]:
        """The lines of its journal; none where nothing was written."""
        return lines_of(self.out / JOURNAL)

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """The lines of its ledger."""
        return lines_of(self.out / LEDGER_FILE)

    def errors(self) -> set[str]:
        """What is said of the cases that are the suite's own fault."""
        return {judged.message for judged in self.judged.values() if judged.verdict == "error"}


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON lines; none where there is no file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def content(case: Case, seen: View) -> None:
    """A check that has nothing to say: only what is sent for a case matters."""
    del case, seen


def performed(
    service: Service,
    out: Path,
    level: Level,
    tables: Mapping[str, object] | None = None,
    check: Check = content,
) -> Performed:
    """A run of every case of a service, at a level, with one check for all.

    `tables` of its profile are laid over the truthful ones; unless they have a pace, nothing is searched for,
    so that the run is short.
    """
    truth = truthful_profile(service, BASE_URL)
    profile = build_profile({**truth, "pace": STILL, **(tables or {})}, CATALOG)
    session = Session(profile, out, level, network=network_of({"": service}))
    cases = all_cases(session.profile, level)
    session.select(cases)
    session.read()
    try:
        session.write()
        judged = {case.id: session.judge(case, check) for case in cases}
        return Performed(judged, [str(fault) for fault in session.finish()], out)
    finally:
        session.close()


@contextmanager
def served(service: Service) -> Generator[dict[str, Any]]:
    """The truthful profile of a service that is listening."""
    with serve({"": service}) as base_url:
        yield truthful_profile(service, base_url)


def intent(
    key: str, before: object, *, ha_id: str = MACHINE_ID, segment: str = "settings", value: object = None
) -> dict[str, Any]:
    """A line of a journal: a write that was about to be sent, and what was there before."""
    return {
        "intent": "write",
        "group": f"x@{ha_id}",
        "ha_id": ha_id,
        "key": key,
        "segment": segment,
        "value": value,
        "before": before,
    }


def settled(key: str, *, restored: bool, ha_id: str = MACHINE_ID) -> dict[str, Any]:
    """A line of a journal: the end of what was owed for a key, or that it is not."""
    return {"restored": restored, "ha_id": ha_id, "key": key, "segment": "settings", "before": None}


def journal(
    path: Path, profile: Mapping[str, object], *lines: dict[str, Any], level: str = "power", cut: str = ""
) -> Path:
    """A journal in the directory `path` with these lines, and the beginning of one that was cut."""
    head = {
        "schema": SCHEMA,
        "suite": "1.0",
        "level": level,
        "profile": profile,
        "at": "2026-01-01T00:00:00.000+00:00",
    }
    text = "".join(json.dumps({"n": number, **line}) + "\n" for number, line in enumerate([head, *lines]))
    place = path / JOURNAL
    place.write_text(text + cut, encoding="utf-8")
    return place
