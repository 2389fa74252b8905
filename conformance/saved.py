"""A saved run as something to judge again: its ledger, checked, beside the files that are made from it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from conformance.harness.journal import JOURNAL
from conformance.harness.ledger import read_ledger
from conformance.profiles.loader import dump_profile
from conformance.session import EVIDENCE, Observed, profile_of_saved

if TYPE_CHECKING:
    from pathlib import Path


def keep_beside(ledger: Path, out: Path) -> Path:
    """The ledger in `out`, copied there with its journal unless it is there already; reports show exchanges from it.

    Raises:
        LedgerError: when it is no ledger, or a line of it was altered, removed or cut.
    """
    read_ledger(ledger)
    out.mkdir(parents=True, exist_ok=True)
    for source, name in ((ledger, EVIDENCE), (ledger.parent / JOURNAL, JOURNAL)):
        if source.is_file() and source.resolve() != (out / name).resolve():
            shutil.copyfile(source, out / name)
    return out / EVIDENCE


def profile_in(ledger: Path, other: Path | None) -> dict[str, Any]:
    """The profile a saved run is judged with, as plain data: that of its ledger, or another one.

    Raises:
        LedgerError: when the ledger cannot be read.
        ProfileError: when the profile has mistakes.
    """
    observed: Observed = {"ledger": str(ledger)}
    if other:
        observed["profile"] = str(other)
    return dump_profile(profile_of_saved(read_ledger(ledger).header, observed))
