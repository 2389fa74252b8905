"""Says how many mutations of a room its fast tests find: `python -m conformance.selftest.mutation ROOM`."""

import json
import random
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Final

import click
import pytest

from conformance.selftest.mutation.mutations import places_of
from conformance.selftest.mutation.running import HUNG, Runner

ROOMS: Final = {
    "checks": (
        ["conformance/checks/**/*.py"],
        ["conformance/selftest/checks/**/test_*.py", "conformance/selftest/harness/answers/test_classes.py"],
        92,
    ),
    "model": (
        ["conformance/model/**/*.py"],
        [f"conformance/selftest/{name}/**/test_*.py" for name in ("model", "checks")],
        92,
    ),
    "harness": (
        [
            f"conformance/**/{name}.py"
            for name in ("decoding", "members", "ledger", "ledger_lines", "gate", "journal", "owed")
        ],
        [
            f"conformance/selftest/harness/**/test_{name}.py"
            for name in (
                "allowed_writes",
                "bodies",
                "calibration",
                "gate",
                "journal",
                "ledger",
            )
        ],
        85,
    ),
    "reports": (
        [
            "reports/certificate.py",
            *(f"reports/results/{name}.py" for name in ("build", "file")),
            "conformance/records/results.py",
        ],
        [
            f"conformance/selftest/reports/**/test_{name}.py"
            for name in ("certificate", "findings", "results", "verdicts", "whole_files")
        ],
        95,
    ),
}
"""Of each room: its modules, its fast tests, and the least per cent of mutations that they must find."""
SURVIVORS: Final = Path(__file__).with_name("survivors.toml")
"""Mutations that no test need find, by function, each with the reason."""


@click.command(help=__doc__)
@click.argument("room", type=click.Choice([*ROOMS]))
@click.option("--sample", type=int, help="So many mutations (default: all).")
@click.option("--seed", default="1", show_default=True, help="Chooses the sample.")
@click.option("--only", default="", help="Only modules whose path contains this.")
@click.option("--matrix", type=click.Path(path_type=Path), help="Writes all tests that find a mutation here.")
def main(*, room: str, sample: int | None, seed: str, only: str, matrix: Path | None) -> None:
    """Ends with 1 where the tests find too few."""
    sources, tests, least = ROOMS[room]
    paths = sorted({path for pattern in sources for path in Path().glob(pattern) if only in str(path)})
    try:
        places = list(chain.from_iterable(places_of(path) for path in paths))
    except ModuleNotFoundError as error:
        if error.name not in {"libcst", "mutmut"}:
            raise
        raise click.ClickException("needs the extra `mutation`: pip install -e '.[mutation]'") from error
    if sample and sample < len(places):
        places = random.Random(seed).sample(places, sample)
    runner = Runner(places, whole=matrix is not None)
    chosen = sorted(str(path) for pattern in tests for path in Path().glob(pattern))
    started = time.monotonic()
    code = pytest.main(["-p", "no:terminal", "-p", "no:xdist", *chosen], plugins=[runner])
    if code != pytest.ExitCode.OK:
        sys.exit(code)
    if matrix:
        text = json.dumps([[*name, failed] for name, failed in runner.found.items()], indent=1)
        matrix.write_text(text, encoding="utf-8")
    score = _told(runner.found)
    click.echo(f"{score:.1f} % of {len(places)} mutations of {room}, in {time.monotonic() - started:.0f} s")
    sys.exit(score < least)


def _told(found: Mapping[tuple[str, str], list[str]]) -> float:
    """The per cent of mutations that were found, of those that are not listed; says which were not."""
    listed = tomllib.loads(SURVIVORS.read_text(encoding="utf-8"))
    outcomes = Counter[str]()
    for (where, change), failed in sorted(found.items()):
        known = change in listed.get(where, {})
        outcomes[HUNG if failed == [HUNG] else "found" if failed else "listed" if known else "survived"] += 1
        if bool(failed) == known:
            click.echo(f"{where}: {'found, though listed' if known else 'survived'}\n    {change}")
    click.echo(", ".join(f"{outcome} {count}" for outcome, count in outcomes.items()))
    return 100 * (outcomes["found"] + outcomes[HUNG]) / max(1, outcomes.total() - outcomes["listed"])


if __name__ == "__main__":
    main()
