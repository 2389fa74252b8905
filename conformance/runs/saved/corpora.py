"""Keeps what generated requests have found beside the results of a run; the next one begins with it."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from msgspec import to_builtins

from conformance.harness.generated.corpus import CORPUS_FILE, Corpus, corpus_of, load_corpus
from conformance.harness.ledger import LEDGER_FILE, read_ledger
from conformance.runs.saved.saved_run import results_at
from reports.results.file import RESULTS_FILE, load_outcome
from reports.results.model import CaseResult
from reports.text_files import json_by_row, write_text


@contextmanager
def corpus_kept(out: Path, baseline: Path | None) -> Generator[None]:
    """While it lasts, a run is made in `out`; then what it found is kept with what `baseline` had kept.

    Raises:
        RefusedError: when the file of the baseline is no corpus.
    """
    older = load_corpus(results_at(baseline).parent / CORPUS_FILE) if baseline else Corpus()
    try:
        yield
    finally:
        if (out / RESULTS_FILE).is_file():
            _keep(out, older)


def _keep(out: Path, older: Corpus) -> None:
    cases = load_outcome(out / RESULTS_FILE, key="~generated").cases
    numbers = {number for case in cases for number in _telling(case)}
    found = corpus_of(read_ledger(out / LEDGER_FILE).exchanges, numbers) if numbers else Corpus()
    corpus, path = found.before(older), out / CORPUS_FILE
    if corpus:
        write_text(path, json_by_row(to_builtins(corpus)))
    else:
        path.unlink(missing_ok=True)


def _telling(case: CaseResult) -> tuple[int, ...]:
    """The exchanges that a finding of generated requests rests on, or an error that one of them met."""
    return case.proof if case.verdict == "fail" else case.evidence if case.clause == "PROT-ERRORS" else ()
