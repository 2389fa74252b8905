"""Which suite this is: its version, the digest of its catalog, and the digest of its judging.

Results can only be compared, and certificates recomputed, where the same code turned a ledger into results. A
version number alone does not tell that of a checkout; the digest of the judging does.
"""

import hashlib
import json
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import catalog
import conformance
import reports
from catalog.exports import plain_document
from conformance.cases import CATALOG

DISTRIBUTION = "appliance-conformance"
ROOMS = {package.__name__: Path(package.__path__[0]) for package in (catalog, conformance, reports)}
_IMPORT = re.compile(
    r"\n(?:from ((?:catalog|conformance|reports)\b[\w.]*) import (\([^)]*\)|.*)|import"
    r" ((?:catalog|conformance|reports)\b[\w.]*))"
)  # `^` would be looked for at every letter

_RENDERING = {"reports.renderings", "reports.formats.cases_page", "reports.formats.terminal"}
"""Modules that show the results and change none of them."""
_WITHOUT_PART = {"benchmarks", "commands", "selftest"}


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
    total = hashlib.sha256()
    for name, path in judging_files().items():
        total.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


@cache
def suite_digest() -> str:
    """The SHA-256 of all that has a part in a run or in a server of the suite, and in how it is judged.

    Commands, tests and measurements have none.
    """
    total = hashlib.sha256()
    for name in ("catalog", "conformance"):
        for path in sorted(ROOMS[name].rglob("*")):
            place = path.relative_to(ROOMS[name])
            if path.suffix in {".py", ".toml"} and place.parts[0] not in _WITHOUT_PART:
                total.update(f"{name}/{place} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def judging_files() -> dict[str, Path]:
    """The files that judge, by name: test modules, what they and a session import, the catalog's data.

    Imports are followed where they stand at the beginning of a line: what is imported for types alone, or
    only when a command needs it, has no part in a verdict. The modules that write results.json and
    certificate.json are roots as well; renderings are not.
    """
    found: dict[str, Path | None] = dict.fromkeys(_RENDERING)  # None for what is no file that judges
    waiting = [
        "conformance.runs.session",
        "conformance.runs.processes.items",
        "conformance.cases",
        "reports.results.collector",
        "reports.results.file",
        "reports.certificate",
    ]
    waiting += [f"conformance.{path.stem}" for path in ROOMS["conformance"].glob("test_*.py")]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = found[name] = _file_of(name)
        imports = _IMPORT.findall(f"\n{path.read_text(encoding='utf-8')}") if path else []
        for package, members, module in imports:
            waiting.append(package or module)
            origin = _file_of(package or module)
            if origin and origin.name == "__init__.py":  # what comes from it may be a module, too
                waiting += [f"{package}.{member}" for member in re.findall(r"\w+", members)]
    data = {f"catalog/data/{path.name}": path for path in (ROOMS["catalog"] / "data").glob("*.toml")}
    return dict(sorted((name, path) for name, path in {**found, **data}.items() if path))


@cache
def _file_of(module: str) -> Path | None:
    """The file of a module; None for the name of something inside one."""
    room, *rest = module.split(".")
    place = ROOMS[room].joinpath(*rest)
    candidates = (place / "__init__.py", place.with_suffix(".py"))
    return next((path for path in candidates if path.is_file()), None)
