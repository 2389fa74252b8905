"""What run, judge and merge do around the judging: signing, comparing with an earlier run, what is left."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from conformance.commands import options
from conformance.runs.exit_codes import INCONCLUSIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from catalog.model import Level
    from conformance.profiles.model import Profile
    from conformance.records.known_faults import RunPower
    from conformance.runs.asked import Asked
    from conformance.runs.saved.saved_run import SavedRun
    from reports.changes.model import Baseline
    from reports.formats import InconclusiveAs


class ResultWords(NamedTuple):
    """What run, judge and merge are told of the results that they write."""

    certify: bool
    sign: Path | None
    junit_inconclusive: InconclusiveAs
    baseline: Path | None

    def signing(self) -> Callable[[Path, int], int]:
        """A function to call with directory and exit code of a run: it signs the certificate of that run.

        One that was there before is not signed: a run that ended early leaves it. It returns the exit code.

        Raises:
            click.UsageError: when the key cannot be used, which is better known before a run than after it.
        """
        if self.sign is None:
            return lambda _out, code: code
        if not self.certify:
            raise click.UsageError("--sign goes with --certify")
        from reports.attestation import SigningError, attest, load_signer
        from reports.certificate import CERTIFICATE_FILE, load_certificate
        from reports.results.file import RESULTS_FILE, load_outcome

        try:
            signer = load_signer(self.sign)
        except SigningError as error:
            raise click.UsageError(str(error)) from error

        def signed(out: Path, code: int) -> int:
            results = out / RESULTS_FILE
            if results.is_file() and load_certificate(out, load_outcome(results).run):
                click.echo(f"attestation: {attest(out / CERTIFICATE_FILE, signer)}")
            return code

        return signed

    def compared(self, profile: Callable[[], Mapping[str, object]]) -> Baseline | None:
        """The run to compare with, read before anything is sent: it may lie where the new run writes.

        Raises:
            click.BadParameter: when it cannot be read.
        """
        if self.baseline is None:
            return None
        from conformance.runs.saved.comparing import baseline_of
        from conformance.runs.saved.saved_run import in_run
        from reports.results.file import ResultsError

        try:
            return baseline_of(in_run(self.baseline), profile())
        except ResultsError as error:
            raise click.BadParameter(str(error), param_hint="--baseline") from error

    def asked(self, target: str | SavedRun, out: Path, baseline: Baseline | None, **more: Any) -> Asked:
        """What is asked of a run; the reports show the whole command as it was typed."""
        from conformance.runs.asked import Asked

        typed = click.get_current_context().meta[options.TYPED]
        own = {"certify": self.certify, "junit_inconclusive": self.junit_inconclusive, "typed": typed}
        return Asked(target, out, baseline=baseline, **own, **more)


RESULT_WORDS = options.collected(
    "results",
    ResultWords,
    options.CERTIFY,
    options.SIGN,
    options.JUNIT_INCONCLUSIVE,
    options.BASELINE,
)


def power_of(
    profile: Profile,
    level: Level,
    state: Path | None,
    *,
    only: Sequence[str] = (),
    workers: int | None = None,
) -> RunPower:
    """The power of a run of `level`: as it is known, else by judging the mutants, and kept in `state`.

    Only those mutants are judged with one of `only` in their name, if there is any; then it is not kept.

    Raises:
        click.ClickException: when a mutant could not be judged.
    """
    from conformance.proof.pool import import_once
    from conformance.proof.power import UntriedError, power_of
    from conformance.runs.known_power import keep_power, known_power

    known = None if only else known_power(state, profile, level)
    if known:
        return known
    import_once()
    try:
        power = power_of(profile, level, only=only, workers=workers)
    except UntriedError as problem:
        raise click.ClickException(f"the power is not known: {problem}") from problem
    if state and not only:
        keep_power(state, profile, power)
    return power


def failed_before(out: Path) -> frozenset[str]:
    """The ids of the cases that failed in the last whole run of a directory.

    Where nothing failed in it, the command ends as that run did: there is nothing to judge again.

    Raises:
        click.UsageError: when there was none.
    """
    from reports.results.build import exit_code
    from reports.results.file import RESULTS_FILE, ResultsError, load_results

    try:
        results = load_results(out / RESULTS_FILE)
    except ResultsError as error:
        raise click.UsageError(f"--failed: {error}") from error
    failed = frozenset(case.id for case in results.cases if case.verdict in {"fail", "error"})
    if not failed:
        if results.cases:
            words = f"nothing failed in the last run of {out}"
        else:
            words = f"the last run of {out} judged nothing"
        click.echo(f"{words}: there is nothing to judge again")
        raise click.exceptions.Exit(exit_code(results))
    return failed


def write_used(profile: Profile, path: Path) -> Path:
    """Writes the profile of a run without a file of its own; others there, maybe edited, are kept."""
    from conformance.files.text_files import numbered
    from conformance.profiles.toml import toml_of
    from conformance.profiles.validation import dump_profile

    used = toml_of(dump_profile(profile))
    if path.is_file() and (other := path.read_bytes()) != used.encode():
        places = numbered(path.with_suffix(".before.toml"))
        kept = path.replace(next(one for one in places if not one.exists() or one.read_bytes() == other))
        click.echo(f"{path} held another profile, which is kept as {kept.name}", err=True)
    path.write_text(used, encoding="utf-8")
    return path


def requests_left(profile: Profile, state: Path | None) -> int | None:
    """How many requests a command may still send today; None where that has no bound.

    Where none is left, that is said, and the command ends with 3. Where no other run will know how many it
    sends, that is said.
    """
    from conformance.runs.admission.state import budget_of

    budget = budget_of(profile, state)
    if (left := budget.left) == 0:
        click.echo(f"nothing is sent: {budget.in_words}", err=True)
        raise click.exceptions.Exit(INCONCLUSIVE)
    budget.take(0, owed=True)
    if budget.uncounted:
        alone = "no other run knows how many requests this one sends today (pace.per_day)"
        click.echo(f"{budget.uncounted}; {alone}", err=True)
    return left


def print_nights(profile: Profile, level: Level, left: int, out: Path | None) -> None:
    """Says so where a run cannot come to its end today, when so many requests are `left`.

    `out` is the directory of the run that it goes on from, whose requests are not made again.
    """
    from conformance.cases import all_cases
    from conformance.harness.planning import forecast, plan_run
    from conformance.records.ledger_lines import LEDGER_FILE

    ledger = out / LEDGER_FILE if out else None
    sent = 0
    if ledger and ledger.is_file():
        with ledger.open("rb") as lines:
            sent = sum(b'"request":' in line for line in lines)
    whole = forecast(plan_run(profile, all_cases(profile, level), level), left + sent)
    if whole.nights == 1:
        return
    nights = f"in about {whole.nights} nights" if whole.nights else "but never, as pace.per_day is too low"
    told = (
        f"this run takes about {whole.in_all:,} requests, {nights}: {left:,} are left today (pace.per_day)."
    )
    click.echo(f"{told} It ends with 3 then; go on with the same command and --resume", err=True)


def print_what_is_left(out: Path) -> None:
    """Says how to put back what the run in the directory could not put back."""
    from conformance.harness.writes.keeping.owed import owed_in
    from conformance.records.journal_lines import JOURNAL_FILE

    journal = out / JOURNAL_FILE
    if owed_in(journal):
        command = f"appliance-conformance restore {shlex.quote(str(journal))}"
        click.echo(f"When the target answers again, put back what is left: {command}", err=True)
