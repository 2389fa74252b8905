"""Captures that others have recorded, as a saved run."""

import sys
from collections.abc import Sequence
from pathlib import Path

from conformance.captures.taking import take
from conformance.cases import CATALOG
from conformance.profiles.validation import load_profile
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.identity import catalog_digest, judging_digest, suite_version
from conformance.runs.saved.saved_run import SavedRun
from reports.texts import plural


def taken(captures: Sequence[Path], profile: Path | None, out: Path) -> SavedRun:
    """The run whose ledger, in `out`, holds what the captures hold of the document.

    What was left out is said on standard error.

    Raises:
        CaptureError: when a file cannot be read, or nothing in them is about an entry.
        ProfileError: when the profile has mistakes.
    """
    out.mkdir(parents=True, exist_ok=True)
    of = load_profile(profile, CATALOG, {}, offline=True) if profile else None
    identity = suite_version(), catalog_digest(), judging_digest()
    got = take(captures, of, out / LEDGER_FILE, identity, CATALOG)
    print(f"judged: {plural(got.exchanges, 'exchange')}", file=sys.stderr)  # noqa: T201
    for why, count in got.left.items():
        print(f"left out: {count:,} {why}", file=sys.stderr)  # noqa: T201
    return SavedRun(out / LEDGER_FILE)
