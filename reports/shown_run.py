"""A judged run with all that its reports show, whichever file of the run that stands in."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from conformance.checks.exchange import Exchange
from conformance.records.certificates import Certificate
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from reports.certificate import load_certificate
from reports.changes.files import load_changes
from reports.changes.model import Comparison
from reports.formats import InconclusiveAs
from reports.recorded.exchanges import load_exchanges
from reports.recorded.saved_journal import SavedJournal, load_journal


class ShownRun:
    """A judged run; each file beside its results is read once, when the first report asks for it.

    `is_alone` says that these files do not lie beside the reports, `inconclusive` what junit.xml writes an
    inconclusive case as.
    """

    is_alone = False
    inconclusive: InconclusiveAs = "skipped"

    def __init__(self, results: Results, directory: Path) -> None:
        """`directory` holds the files of the run."""
        self.results, self.directory = results, directory

    @cached_property
    def exchanges(self) -> Mapping[int, Exchange]:
        """What failed cases rest on, by the number in the ledger."""
        failed = (case for case in self.results.cases if case.verdict in {"fail", "error"})
        numbers = {number for case in failed for number in case.evidence}
        return load_exchanges(self.directory / LEDGER_FILE, numbers)

    @cached_property
    def journal(self) -> SavedJournal | None:
        """What was written and put back; None where nothing was written."""
        return load_journal(self.directory / JOURNAL_FILE, self.results.run)

    @cached_property
    def changes(self) -> Comparison | None:
        """What changed since the baseline; None without one."""
        return load_changes(self.directory, self.results.run.started)

    @cached_property
    def certificate(self) -> Certificate | None:
        """The certificate of the run, if it has one."""
        return load_certificate(self.directory, self.results.run) if self.results.is_certified else None
