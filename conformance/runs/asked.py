"""What a run was asked for, and the session that comes of it."""

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from msgspec import Struct

from catalog.model import Level
from conformance.profiles.fleet.sharding import Part, sampled, sharded
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.observed_run import ObservedRun, observed
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.runs.targets import assert_certifiable, level_of, open_target
from reports.changes.model import Baseline
from reports.formats import InconclusiveAs


class Asked(Struct, frozen=True):
    """What a run was asked for, on the command line or by a command for itself.

    Attributes:
        target: what is judged: a saved run, a profile file, or a server of the suite such as `reference`.
        out: the directory of its files; of a saved run, the one that its ledger is in.
        state: the directory of the appliances' journals; None where none are kept.
        level: what the run may do; None leaves it to the target.
        certify: whether a certificate is wanted.
        sample: how many appliances of each kind are judged; None for as many as the profile says.
        seed: what chooses them, unknown words and generated requests; None for the usual.
        part: the shard that is asked; None for all.
        wait_s: how long a target that does not answer is waited for, in seconds.
        resume: whether to go on from the ledger of an interrupted run in `out`.
        chosen: the ids of the cases that are judged; None for all.
        baseline: an earlier run, to say what changed since.
        junit_inconclusive: what junit.xml writes an inconclusive case as.
        typed: the words that were typed, for the reports; secrets are masked later.
    """

    target: str | SavedRun
    out: Path
    state: Path | None = None
    level: Level | None = None
    certify: bool = False
    sample: int | None = None
    seed: str | None = None
    part: Part | None = None
    wait_s: float = 0
    resume: bool = False
    chosen: frozenset[str] | None = None
    baseline: Baseline | None = None
    junit_inconclusive: InconclusiveAs = "skipped"
    typed: Sequence[str] = ()

    def open_session(self, stack: ExitStack) -> ObservedRun:
        """The session of the target or the saved run; `stack` closes it.

        Raises:
            ProfileError: when the profile has mistakes, or lacks what the level or a certificate needs.
            TransportError: when the files for TLS that it names cannot be used.
            LedgerError: when the saved run cannot be read or gone on from.
        """
        if isinstance(self.target, str):
            session = self._session_of(self.target, stack)
        else:
            session = observed(self.target)
        stack.callback(session.close)
        if self.certify:
            assert_certifiable(session.profile)
        return session

    def _session_of(self, target: str, stack: ExitStack) -> Session:
        whole = sampled(stack.enter_context(open_target(target)), self.sample, self.seed)
        level = level_of(target, whole, self.level)
        profile = sharded(whole, self.part, level)
        if self.certify:  # a certificate does not rest on how long effects took so far
            profile = profile.certified
        session = Session(profile, self.out, level, seed=self.seed, wait_s=self.wait_s)
        if self.resume and (anew := session.resume(self.out / LEDGER_FILE)):
            print(anew, file=sys.stderr, flush=True)  # noqa: T201  before the first request, which may not be wanted again
        return session
