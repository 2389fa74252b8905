"""Trials are judged in processes that do not outlive their limit."""

import os
import threading

from conformance.proof.outcomes import TrialOutcome
from conformance.proof.pool import judge_all

CLEAN = TrialOutcome("pass", {})


def judged(name: str) -> TrialOutcome:
    """What comes of a trial that does as it is called."""
    match name:
        case "hangs":
            threading.Event().wait()
        case "ends":
            os._exit(7)
        case "raises":
            raise ValueError(name)
        case _:
            pass
    return CLEAN


def test_trial_that_takes_too_long_is_named() -> None:
    """Its process ends, and another judges the next trial."""
    outcomes = judge_all(["hangs", "answers"], judged, workers=1, limit_s=1)
    reason = "its trial took longer than 1 s; standard error says what it was doing"
    assert outcomes == {"hangs": TrialOutcome("error", {}, (reason,)), "answers": CLEAN}


def test_trial_that_ends_its_process_is_named() -> None:
    """Others are judged all the same, also by the process in which one raised an error."""
    outcomes = judge_all(["ends", "raises", "answers"], judged, workers=2, limit_s=60)
    assert outcomes["ends"].faults == ("its trial ended the process with 7",)
    assert outcomes["raises"].faults[0].endswith("ValueError: raises\n")
    assert outcomes["answers"] == CLEAN
