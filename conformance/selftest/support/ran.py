"""What is left of a command that has ended: the one record of all of them."""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from msgspec import Struct


class Ran(Struct, frozen=True, dict=True):
    """A command that has ended. A file is read when it is first asked for.

    Attributes:
        code: its exit code; None where it was killed because it took too long.
        said: all that it wrote to standard output and standard error.
        out: the directory its files are in.
        resident_mb: the most memory that one of its processes used, where that was measured.
    """

    code: int | None
    said: bytes
    out: Path
    resident_mb: float = 0

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
        return [json.loads(line) for line in (self.out / "evidence.ndjson").read_bytes().splitlines()]

    @property
    def reads(self) -> list[tuple[str, str, str]]:
        """The appliance, segment and key of every shared read."""
        return [
            (line["ha_id"], line["segment"], line["key"])
            for line in self.evidence
            if line["purpose"] == "read"
        ]

    @property
    def verdicts(self) -> list[tuple[str, str, str]]:
        """The id, verdict and finding of every case, in their order."""
        return [(case["id"], case["verdict"], case["message"]) for case in self.results["cases"]]
