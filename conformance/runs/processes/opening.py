"""Opens the session that the options of pytest ask for."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import CATALOG
from conformance.harness.ledger import LEDGER_FILE
from conformance.profiles.fleet.sharding import part_of, sampled, sharded
from conformance.runs.admission.admitting import admitted, holding
from conformance.runs.admission.locks import name_judging_process
from conformance.runs.admission.state import state_directory
from conformance.runs.processes.workers import saved_by_controller
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.runs.targets import level_of, open_target


def open_session(config: pytest.Config, stack: ExitStack) -> Session:
    """The session of a target or of a saved run; `stack` closes it, and releases what it holds meanwhile.

    Raises:
        ProfileError: when the profile has mistakes, or lacks what the level needs.
        TransportError: when the files for TLS that it names cannot be used.
        LedgerError: when the saved run cannot be read.
        RefusedError: when another run is at work, or an appliance is still owed a write.
        pytest.UsageError: when reports are wanted of a saved run that lies elsewhere.
    """
    options: Any = config.option
    if options.held and not saved_by_controller(config):
        name_judging_process(options.out)
    session = _of_saved(config, stack) or _of_target(options, stack)
    stack.callback(session.close)
    return session


def state_of(options: Any) -> Path | None:
    """The directory of the appliances' locks and journals; None where none are kept."""
    return options.state if options.held else state_directory(options.target, options.state)


def _of_saved(config: pytest.Config, stack: ExitStack) -> Session | None:
    options: Any = config.option
    out: Path = options.out
    shared = saved_by_controller(config)
    if shared:
        return Session.of_saved(shared, out)
    if not options.evidence:
        return None
    saved = SavedRun(options.evidence, options.profile)
    if not options.no_renderings and saved.ledger.resolve() != (out / LEDGER_FILE).resolve():
        raise pytest.UsageError(
            "--evidence: reports are made from the ledger in --out; `appliance-conformance judge` puts it"
            " there"
        )
    if not options.held:
        stack.enter_context(holding(out))
    return Session.of_saved(saved, out)


def _of_target(options: Any, stack: ExitStack) -> Session:
    whole = sampled(stack.enter_context(open_target(options.target)), options.sample, options.seed)
    level = level_of(options.target, whole, options.level)
    profile = sharded(whole, part_of(options.shard, {}) if options.shard else None, CATALOG, level)
    if options.certify:  # a certificate does not rest on how long effects took so far
        profile = profile.certified
    if not options.held:
        stack.enter_context(admitted(options.out, profile, level, state_of(options)))
    session = Session(profile, options.out, level)
    if live := session.live:
        live.wait_s = options.wait_for_target
        live.seed = live.seed if options.seed is None else options.seed
    if options.resume and (anew := session.resume(options.out / LEDGER_FILE)):
        print(anew, file=sys.stderr, flush=True)  # noqa: T201  before the first request, which may not be wanted again
    return session
