"""A saved run: the ledger of a run that has ended, to be judged again."""

import shlex
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from conformance.files.foreign_files import opened
from conformance.harness.ledger import read_ledger
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile, dump_profile, load_profile
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE, SCHEMA, Header
from reports.certificate import CERTIFICATE_FILE
from reports.results.file import RESULTS_FILE, ResultsError

_BEGINNING = 1024
_LACKING = {
    RESULTS_FILE: "{command} makes one",
    JOURNAL_FILE: "a run that sent no write keeps none, and owes nothing",
    CERTIFICATE_FILE: (
        "the run was made without --certify, or was refused a certificate: {command} --certify"
        " makes one, or says why not"
    ),
}
"""Why a run, which has a ledger, may lack a file."""


def in_run(path: Path, name: str = RESULTS_FILE) -> Path:
    """The file of a run that is meant: `path`, or the one of that `name` where that is a directory.

    Raises:
        ResultsError: when the directory is of a run that has not made such a file; the text says why.
    """
    if not path.is_dir():
        return path
    file = path / name
    if name in _LACKING and not file.exists() and (path / LEDGER_FILE).exists():
        command = f"appliance-conformance judge {shlex.quote(str(path))}"
        raise ResultsError(f"{file} is not there: {_LACKING[name].format(command=command)}")
    return file


def is_ledger(path: Path) -> bool:
    """Whether a file begins as a ledger of this suite does, whatever follows."""
    with suppress(OSError), opened(path) as file:
        return f'"schema":"{SCHEMA}"'.encode() in file.read(_BEGINNING)
    return False


class SavedRun(Struct, frozen=True):
    """The ledger of a run, and the profile to judge it with; None for the one that the ledger holds."""

    ledger: Path
    profile: Path | None = None

    def profile_for(self, header: Header) -> Profile:
        """The profile to judge the run with, by the `header` of its ledger; secrets are not needed any more.

        Raises:
            ProfileError: when it has mistakes.
        """
        if self.profile:
            return load_profile(self.profile, {}, offline=True)
        source = str(self.ledger)
        profile = build_profile(header.profile, source=source, environment={}, offline=True)
        return profile.standing_at(header.places)

    def profile_data(self) -> dict[str, Any]:
        """The profile to judge the run with, as plain data.

        Raises:
            LedgerError: when the ledger cannot be read.
            ProfileError: when the profile has mistakes.
        """
        return dump_profile(self.profile_for(read_ledger(self.ledger).header))

    def copied_to(self, out: Path) -> "SavedRun":
        """The run with its ledger in `out`, copied there with its journal: reports show exchanges from it.

        Raises:
            LedgerError: when it is no ledger, or a line of it was altered, removed or cut.
        """
        read_ledger(self.ledger)
        out.mkdir(parents=True, exist_ok=True)
        for source, name in ((self.ledger, LEDGER_FILE), (self.ledger.parent / JOURNAL_FILE, JOURNAL_FILE)):
            if source.is_file() and source.resolve() != (out / name).resolve():
                shutil.copyfile(source, out / name)
        return replace(self, ledger=out / LEDGER_FILE)
