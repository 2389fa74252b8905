"""What is left of a run or a command that has ended: the one record of all of them."""

import json
import resource
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.judging import Judged


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of JSON lines; none where there is no file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def moves_in(journal: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """The settings, by appliance and key, that a run saw moving, though it has put them back."""
    return {(line["ha_id"], line["key"]) for line in journal if line.get("changed") and line["note"]}


class Used(Struct, frozen=True):
    """The most memory that one process used, in MB, and the seconds of a processor that all of them took."""

    resident_mb: float = 0.0
    processor_s: float = 0.0


def used_by(*processes: int) -> Used:
    """What was used by this process (RUSAGE_SELF), or by those that it started (RUSAGE_CHILDREN)."""
    usages = [resource.getrusage(each) for each in processes]
    most = max(usage.ru_maxrss for usage in usages)
    return Used(most / 1024, sum(usage.ru_utime + usage.ru_stime for usage in usages))


class Ran(Struct, frozen=True, dict=True):
    """A command, or a run in the process of its test, that has ended. A file is read when it is asked for.

    Attributes:
        code: its exit code; None where it was killed because it took too long, and of a run in this process.
        said: all that it wrote to standard output and standard error.
        stdout: what it wrote to standard output, of a command that was not forked.
        out: the directory its files are in.
        used: what it took of the machine, where that was measured.
        cases: what is shown of each case of a run in this process.
        left: what that could not put back.
    """

    code: int | None
    said: bytes
    out: Path
    used: Used = Used()
    cases: Mapping[str, Judged] = field(default_factory=dict[str, Judged])
    left: list[str] = field(default_factory=list[str])
    stdout: bytes = b""

    @property
    def output(self) -> str:
        """What it said, as text."""
        return self.said.decode()

    @cached_property
    def results(self) -> dict[str, Any]:
        """Its results.json."""
        return json.loads((self.out / "results.json").read_bytes())

    @cached_property
    def evidence(self) -> list[dict[str, Any]]:
        """The lines of its ledger."""
        return lines_of(self.out / LEDGER_FILE)

    @cached_property
    def journal(self) -> list[dict[str, Any]]:
        """The lines of its journal; none where nothing was written."""
        return lines_of(self.out / JOURNAL_FILE)

    @property
    def reads(self) -> list[tuple[str, str, str]]:
        """The appliance, segment and key of every shared read."""
        return [
            (line["ha_id"], line["segment"], line["key"])
            for line in self.evidence
            if line["purpose"] == "read"
        ]

    @property
    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Verdict and finding of every case, in their order."""
        if self.cases:
            return {name: (case.verdict, case.message) for name, case in self.cases.items()}
        return {case["id"]: (case["verdict"], case["message"]) for case in self.results["cases"]}

    def finding(self, clause: str, key: str = "") -> tuple[str, str]:
        """Verdict and finding of the one case of a clause, on a key that ends so."""
        (of_case,) = (
            one for name, one in self.verdicts.items() if name.startswith(f"{clause}::") and key in name
        )
        return of_case

    def red(self) -> set[str]:
        """The clauses that failed."""
        ends = self.verdicts.items()
        return {name.partition("::")[0] for name, (verdict, _) in ends if verdict in {"fail", "error"}}

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

    def writes(self, group: str) -> list[tuple[str, Any]]:
        """The writes of these procedures, by the ends of keys and values, without what was put back."""
        lines = [line for line in self.requests(group) if line["purpose"] == "write"]
        return [
            (str(line["key"]).rpartition(".")[2], str(line["value"]).rpartition(".")[2]) for line in lines
        ]
