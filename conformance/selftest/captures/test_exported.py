"""A ledger that was exported as HAR shows as a capture what its shared reads show."""

from pathlib import Path

import pytest

from conformance.captures.recorded import CaptureError
from conformance.captures.taking import take
from conformance.cases import CATALOG
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.outcomes import judged_in
from conformance.proof.trials import PREFIX, all_trials
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from reports.formats.har import export_har

_IDENTITY = "0", "0" * 64, "0" * 64


def seen_of(name: str, out: Path) -> set[str]:
    """The clauses that the capture of a run of a trial contradicts."""
    trial = all_trials()[name]
    service = trial.server()
    profile = build_profile(trial.profile(service, BASE_URL), CATALOG)
    judged_in(Session(profile, out, "read", network=network_of({PREFIX: service})))
    har, seen = out / "capture.har", out / "seen.ndjson"
    har.write_text("".join(export_har(out / LEDGER_FILE, "1.0")), encoding="utf-8")
    try:
        take([har], profile, seen, _IDENTITY, CATALOG)
    except CaptureError:  # nothing of it is about an entry
        return set()
    return {case.clause for case in judged_in(Session.of_saved(SavedRun(seen), out)).of("fail")}


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("type-boolean-as-a-text", "TYPE-BOOLEAN"),
        ("value-twice", "READ-VALUE"),
        ("range-perapp-value-above", "RANGE-PERAPP-VALUE"),
    ],
)
def test_capture_shows_what_shared_reads_show(tmp_path: Path, name: str, clause: str) -> None:
    """A wrong type, a body that is no JSON, a value outside its own range."""
    assert clause in seen_of(name, tmp_path)


@pytest.mark.parametrize(
    "name", ["lacking-null.L0", "cuts-30-of-100-bodies.L0", "maker-per-appliance.L0", "offline.L0"]
)
def test_conforming_capture_shows_nothing(tmp_path: Path, name: str) -> None:
    """Absent keys, bodies that were cut, two makers, and no answer at all."""
    assert not seen_of(name, tmp_path)
