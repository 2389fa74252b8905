"""The command judge: judges a saved run again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from conformance.commands import around, options
from conformance.runs.processes.interruption import interruptible

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.profiles.model import Profile
    from conformance.runs.saved.saved_run import SavedRun


@click.command("judge", cls=options.WithPytest)
@click.argument(
    "evidence",
    type=click.Path(path_type=Path, exists=True, allow_dash=True),
    nargs=-1,
    required=True,
)
@click.option("--profile", type=options.FILE, help="Judge with this profile, not with the one in EVIDENCE.")
@options.OUT
@around.RESULT_WORDS
def command(evidence: tuple[Path, ...], profile: Path | None, out: Path, results: around.ResultWords) -> None:
    """Judge what was recorded. Nothing is sent, and no procedure is run.

    EVIDENCE is the evidence.ndjson of a run, or the directory of one, or captures: HAR files of browsers and
    proxies, or NDJSON with an exchange a line (catalog --format evidence-schema); - stands for a capture on
    standard input. Of captures, what was merely seen is judged, a finding needs two exchanges, and no file
    holds a cookie, a token or a query. Without --profile, the profile is guessed, and claims nothing. Exit
    codes are those of run.
    """
    from conformance.profiles.validation import load_profile
    from conformance.records.journal_lines import JOURNAL_FILE
    from conformance.records.ledger_lines import LEDGER_FILE
    from conformance.runs.admission.admitting import assert_settled, holding
    from conformance.runs.processes.pytest_process import run_pytest
    from conformance.runs.saved.saved_run import SavedRun, in_run, is_ledger

    if results.certify and profile:
        raise click.UsageError("--certify judges with the profile that the ledger holds: leave --profile out")
    signed = results.signing()
    evidence = tuple(in_run(one, LEDGER_FILE) for one in evidence)
    saved = SavedRun(evidence[0], profile)
    captures = () if len(evidence) == 1 and is_ledger(evidence[0]) else evidence
    if captures and results.certify:
        raise click.UsageError("--certify needs a run: nobody who only looked can certify")
    if captures and results.baseline:
        raise click.UsageError("--baseline compares runs: what was recorded is not what a run reads")
    declared = load_profile(profile, {}, offline=True) if profile else None  # its mistakes are said first
    with interruptible(), holding(out):
        baseline = results.compared(saved.profile_data)
        if captures or (saved.ledger.parent / JOURNAL_FILE).resolve() != (out / JOURNAL_FILE).resolve():
            assert_settled(out / JOURNAL_FILE)  # what is judged takes the place of that run
        run = _taken(captures, declared, out) if captures else saved.copied_to(out)
        asked = results.asked(run, out, baseline)
        sys.exit(signed(out, run_pytest(asked, options.pytest_words())))


def _taken(captures: Sequence[Path], profile: Profile | None, out: Path) -> SavedRun:
    """The run whose ledger, in `out`, holds what captures hold of the document; what was left out is said."""
    from conformance.captures.taking import take
    from conformance.records.ledger_lines import LEDGER_FILE
    from conformance.runs.identity import identity
    from conformance.runs.saved.saved_run import SavedRun
    from reports.texts import plural

    out.mkdir(parents=True, exist_ok=True)
    got = take(captures, profile, out / LEDGER_FILE, identity())
    click.echo(f"judged: {plural(got.exchanges, 'exchange')}", err=True)
    for why, count in got.left.items():
        click.echo(f"left out: {count:,} {why}", err=True)
    return SavedRun(out / LEDGER_FILE)
