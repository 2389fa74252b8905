"""Whether a run may begin: nobody else is at work there, and nothing is owed.

A run that wrote and was killed has left values of its own on an appliance. Another run would take them for
those of its owner, judge them and restore them; so there is none, at any level, before they are put back. Nor
is there a second run beside one that is under way: it would see values that the other one moves, and together
they would exceed the pace that the profile declares.
"""

import json
import shlex
import sys
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from catalog.model import Level
from conformance.harness.errors import RefusedError
from conformance.harness.writes.keeping.owed import Debt, owed_in, read_journal
from conformance.profiles.model import Profile
from conformance.records.journal_lines import JOURNAL_FILE, JournalError
from conformance.runs.admission.locks import LOCK, InUseError, held, held_together
from conformance.runs.admission.state import forget_settled, name_of, owed_to
from reports.certificate import keep_certificate

MOST_LINES = 20
_UNTIL_ENDED = "wait until it has ended"


@contextmanager
def admitted(out: Path, profile: Profile, level: Level, state: Path | None) -> Generator[None]:
    """Holds `out` and the appliances as long as the context lasts.

    At level read a `state` directory that cannot be written is no obstacle: such a run will owe nothing.

    Raises:
        RefusedError: when another run holds one of them, or something is owed.
        OSError: when `out` cannot be made or locked.
    """
    base_url, ha_ids = profile.target.base_url, [appliance.ha_id for appliance in profile.appliance]
    with ExitStack() as stack:
        stack.enter_context(holding(out))
        assert_settled(out / JOURNAL_FILE)
        if state:
            try:
                state.mkdir(mode=0o700, parents=True, exist_ok=True)
                stack.enter_context(_held(state, base_url, ha_ids, out, _UNTIL_ENDED))
            except OSError as error:
                if level != "read":
                    why = "a run that writes keeps there what it owes, in case it is killed"
                    others = "but runs that keep theirs elsewhere do not see each other"
                    advice = f"{why}: give another directory with --state, {others}"
                    raise RefusedError(f"{state}: {error.strerror}\n{advice}") from error
            refusal = why_owed(profile, state)
            if refusal:
                raise RefusedError(refusal)
            forget_settled(base_url, ha_ids, state)
            stack.callback(forget_settled, base_url, ha_ids, state)
        yield


@contextmanager
def holding(out: Path) -> Generator[None]:
    """Holds the directory of a run, which is made if need be; a certificate in it is kept.

    Raises:
        RefusedError: when another run holds it, or it cannot be made.
        OSError: when it cannot be locked, or its certificate cannot be kept.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:  # which may name a directory above it, of which nobody has heard
        raise RefusedError(f"{out} cannot be made: {error.strerror}; give another --out") from error
    with (
        _refusing(f"{_UNTIL_ENDED}, or give another --out"),
        held(out / LOCK, str(out), out),
    ):
        if kept := keep_certificate(out):
            print(f"the certificate of an earlier run is kept: {kept}", file=sys.stderr, flush=True)  # noqa: T201  its place is taken now
        yield


def assert_settled(journal: Path) -> None:
    """Whether a journal may be overwritten.

    Raises:
        RefusedError: when it owes something, or it cannot be told.
    """
    try:
        owed = owed_in(journal)
    except JournalError as error:
        raise RefusedError(
            f"{error}\nso it is not known what is owed: move that file away, or give another --out"
        ) from error
    if owed:
        raise RefusedError(_in_words({journal: owed}))


def why_owed(profile: Profile, state: Path) -> str:
    """Why nothing may be sent to the appliances of a profile; empty where they are owed nothing."""
    try:
        owed = owed_to(profile, state)
    except JournalError as error:
        advice = "delete that file once the appliance is as it should be"
        return f"{error}\nso it is not known what is owed: {advice}"
    return _in_words(owed) if owed else ""


def hold_for_restoring(stack: ExitStack, journal: Path) -> None:
    """Holds for as long as `stack` is open what the run held that has begun this journal.

    Raises:
        JournalError: when it is no journal.
        RefusedError: when a run holds it.
    """
    header, owed = read_journal(journal)
    out = Path(str(header["journal"])).parent if "journal" in header else journal.parent
    advice = "restore once it has ended"
    if out.is_dir():
        stack.enter_context(_refusing(advice))
        stack.enter_context(held(out / LOCK, str(out), out))
    state = Path(str(header["state"])) if "state" in header else None
    if state and state.is_dir():
        base_url = str(header["profile"]["target"]["base_url"])
        stack.enter_context(_held(state, base_url, [debt.ha_id for debt in owed], out, advice))


@contextmanager
def _held(state: Path, base_url: str, ha_ids: Iterable[str], out: Path, advice: str) -> Generator[None]:
    """Holds appliances of a target, or none of them; `advice` is what to do where another run does."""
    named = {name_of(base_url, ha_id): f"{ha_id} at {base_url}" for ha_id in ha_ids}
    with _refusing(advice), held_together(state, named, out):
        yield


@contextmanager
def _refusing(advice: str) -> Generator[None]:
    try:
        yield
    except InUseError as error:
        raise RefusedError(f"{error}\nnothing is sent: {advice}") from error


def _in_words(owed: Mapping[Path, Sequence[Debt]]) -> str:
    every = (debt for debts in owed.values() for debt in debts)
    said = (f"  {debt.ha_id} {debt.key} was {json.dumps(debt.before, ensure_ascii=False)}" for debt in every)
    debts = [*dict.fromkeys(said)]
    more = [f"  and {len(debts) - MOST_LINES} more"] if len(debts) > MOST_LINES else []
    commands = [f"  appliance-conformance restore {shlex.quote(str(journal))}" for journal in owed]
    first = "an earlier run has not put back what it wrote, so nothing is sent"
    return "\n".join([first, *debts[:MOST_LINES], *more, "put it back first:", *commands])
