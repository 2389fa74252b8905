"""Which suite this is: its version, the digest of its catalog, and the digest of its judging.

Results can only be compared, and certificates recomputed, where the same code turned a ledger into results. A
version number alone does not tell that of a checkout; the digest of the judging does.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path

import catalog
import conformance
import reports
from catalog.exports import plain_document
from catalog.loader import CATALOG

DISTRIBUTION = "appliance-conformance"
ROOMS = {package.__name__: Path(package.__path__[0]) for package in (catalog, conformance, reports)}
_JUDGING = {
    "catalog": ("**/*.py", "data/*.toml"),
    "conformance": (
        "*.py",
        *(
            f"{room}/**/*.py"
            for room in ("checks", "files", "harness", "model", "profiles", "records", "runs")
        ),
    ),
    "reports": ("*.py", "results/**/*.py"),
}
"""The files of each room that have a part in turning a ledger into results, certificates included."""
_SUITE = {"catalog": ("**/*.py", "**/*.toml"), "conformance": ("**/*.py", "**/*.toml")}
_WITHOUT_PART = ("conformance/benchmarks/", "conformance/commands/", "conformance/selftest/")


@cache
def suite_version() -> str:
    """The version of the installed suite."""
    return version(DISTRIBUTION)


@cache
def catalog_digest() -> str:
    """The SHA-256 of the catalog's JSON export."""
    return hashlib.sha256(json.dumps(plain_document(CATALOG), sort_keys=True).encode()).hexdigest()


@cache
def judging_digest() -> str:
    """The SHA-256 of every file that has a part in turning a ledger into results, each with its name."""
    return _digest(judging_files())


def agent() -> str:
    """What the suite calls itself in the requests that it makes."""
    return f"{DISTRIBUTION}/{suite_version()}"


def identity() -> tuple[str, str, str]:
    """What the first line of a ledger says of the suite: its version, of which catalog, of which judging."""
    return suite_version(), catalog_digest(), judging_digest()


@cache
def suite_digest() -> str:
    """The SHA-256 of all that has a part in a run or in a server of the suite, and in how it is judged.

    Commands, tests and measurements have none.
    """
    files = _files_of(_SUITE)
    return _digest({name: path for name, path in files.items() if not name.startswith(_WITHOUT_PART)})


def judging_files() -> dict[str, Path]:
    """The files of the rooms that judge, by name: whatever decides is among them, and some that do not."""
    return _files_of(_JUDGING)


def _files_of(parts: Mapping[str, Sequence[str]]) -> dict[str, Path]:
    places = (
        (room, path) for room, globs in parts.items() for glob in globs for path in ROOMS[room].glob(glob)
    )
    named = {f"{room}/{path.relative_to(ROOMS[room]).as_posix()}": path for room, path in places}
    return dict(sorted(named.items()))


def _digest(files: Mapping[str, Path]) -> str:
    total = hashlib.sha256()
    for name, path in files.items():
        total.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
