"""The published proof: on which mutants the check of each clause was seen to fail.

`kill-matrix.json` in this room is what a whole `appliance-conformance prove` found; a test of the suite makes
it anew and compares. With it a certificate says how often the check of each clause was seen to fail.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from msgspec import Struct

PUBLISHED: Final = Path(__file__).with_name("kill-matrix.json")


class Kills(Struct, frozen=True):
    """The SHA-256 of a kill matrix, and how many mutants each clause that can fail has killed."""

    sha256: str
    number: Mapping[str, int]  # 0 where nothing has shown that the check of a clause can fail


@cache
def published_kills() -> Kills:
    """The matrix that comes with the suite."""
    content = PUBLISHED.read_bytes()
    return Kills(
        hashlib.sha256(content).hexdigest(),
        {row["id"]: len(row["killed"]) for row in json.loads(content)["clauses"]},
    )
