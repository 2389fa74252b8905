"""Fuzzes one reader: `python -m conformance.selftest.fuzzing decoder|ledger|profile [options of libFuzzer]
[corpus]`.

What it finds is written to a file `crash-...`; the same command with that file as its last word runs it
again.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

ROOMS = ["conformance", "catalog", "jsonpointer", "tomllib", "json"]


def main(words: Sequence[str]) -> None:
    """Runs the fuzzer until it is told to stop, or finds something."""
    atheris: Any = import_module("atheris")  # of the extra `fuzz` alone; it has no types
    with atheris.instrument_imports(include=ROOMS):
        readers = import_module("conformance.selftest.fuzzing.readers").READERS
    if len(words) < 2 or words[1] not in readers:
        sys.exit(f"say what to fuzz: {', '.join(readers)}")
    atheris.Setup([words[0], *words[2:]], readers[words[1]])
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
