"""A certificate is recomputed from the ledger beside it; whatever is changed in the files is named."""

import json
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.json import encode

from conformance.records.journal_lines import JOURNAL_FILE
from conformance.runs.saved.verifying import CertificateState
from conformance.selftest.support.commands import BARE, FILES, command, running_first
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.altered import places_taken
from conformance.selftest.support.samples.signed import SMALL, verified
from reports.attestation import attestation_of
from reports.certificate import CertificateError, read_certificate

DIFFERS, NOT_RECOMPUTED = CertificateState.DIFFERS, CertificateState.NOT_RECOMPUTED
CERTIFICATE, ATTESTATION, LEDGER = "certificate.json", "certificate.intoto.jsonl", "evidence.ndjson"
ALTERED = [
    (CERTIFICATE, '"exchanges": 1,', '"exchanges": 2,', "at /clauses/0 (ADDR-BASE)/exchanges: the cert"),
    (CERTIFICATE, '"verdict": "conforms"', '"verdict": "conforms!"', "at /verdict: the certificate says"),
    (CERTIFICATE, '"level": "read"', '"level": "power"', "at /scope/level: the certificate says"),
    (CERTIFICATE, '"expires": "2', '"expires": "3', "at /expires: the certificate says"),
    (CERTIFICATE, '"I-7": true', '"I-7": false', "at /readings/I-7: the certificate says"),
    (CERTIFICATE, '"counts": {', '"counts": {"better": 1, ', "at /counts/better: the certificate says"),
    (CERTIFICATE, "{", '{"counts/pass": 99999,', "in other tables and lists, or more"),
    (CERTIFICATE, "{", '{"clauses/0 (ADDR-BASE)/verdict": "fail",', "in other tables and lists, or more"),
    (CERTIFICATE, "\n}", "\n} ", "its attestation differs from it, at /subject/0/digest/sha256: "),
    (ATTESTATION, '"sig":"', '"sig":"AAAA', "is not signed with"),
    (ATTESTATION, '"keyid":"', '"keyid":"0', "is not signed with"),
    (ATTESTATION, "in-toto+json", "in-toto+jsom", "is not signed with"),
    (ATTESTATION, '"signatures":[', '"signatures":[],"was":[', "is not signed with"),
    (LEDGER, '"status":200', '"status":201', "does not follow the line before it"),
    (LEDGER, '"purpose":"end"', '"purpose":"END"', "is cut or altered"),
    *(
        (CERTIFICATE, f'"{name}": "', f'"{name}": "9.', f'by another suite: its {said} is "9.')
        for said in ("version", "catalog", "judging", "kill matrix")
        for name in [said.replace(" ", "_")]
    ),
]
"""A file, what of it is changed into what, and what is said of that to whoever gives the owner's key."""


def test_certificate_holds(certified: Ran, tmp_path: Path) -> None:
    """A certificate verifies on its own ledger, and verify says what it certifies; judging the ledger again
    writes a certificate with the same bytes. It is as private as the user wants, and so is its attestation.
    """
    result = command("verify", str(certified.out / CERTIFICATE))
    assert (certified.code, result.code) == (0, 0)
    assert "holds: recomputed from the ledger, and nothing differs" in result.output
    assert "a server of appliance-conformance (" in result.output
    assert {path.name for path in certified.out.iterdir()} == FILES - {JOURNAL_FILE} | {
        CERTIFICATE,
        ATTESTATION,
    }
    assert {path.stat().st_mode & 0o077 for path in certified.out.iterdir()} == {0}
    again = command("judge", str(certified.out), "--certify", directory=tmp_path)
    assert again.code == 0
    assert (again.out / CERTIFICATE).read_bytes() == (certified.out / CERTIFICATE).read_bytes()


@pytest.mark.parametrize("row", ALTERED)
def test_alteration_is_named(row: tuple[str, str, str, str], issued: Path, keys: Path) -> None:
    """A changed figure or member is found by recomputing, a changed answer by its chain, a changed envelope
    by its signature; another suite is to verify what it has issued.
    """
    file, old, new, says = row
    text = issued.with_name(file).read_text(encoding="utf-8")
    assert old in text
    issued.with_name(file).write_text(text.replace(old, new, 1), encoding="utf-8")
    told = verified(issued, keys / "own.pub" if file == ATTESTATION else None)
    outcome = NOT_RECOMPUTED if says.startswith("by another suite") else DIFFERS
    assert (told.outcome, says in told.lines[0]) == (outcome, True), told.lines


def test_later_run_keeps_the_certificate(issued: Path, keys: Path) -> None:
    """A run into the same directory keeps the certificate of an earlier one, which holds where it is then."""
    before = issued.read_bytes()
    dead = ("--base-url", "http://127.0.0.1:1", "--appliance", "oven-1:Oven", "--out", str(issued.parent))
    ended = command("run", *dead, *BARE, directory=issued.parent)
    (kept,) = issued.parent.glob("certificates/*/certificate.json")
    assert (ended.code, issued.exists(), kept.read_bytes()) == (3, False, before)
    assert f"the certificate of an earlier run is kept: {kept}" in ended.output
    again = command("verify", str(kept), "--public-key", str(keys / "own.pub"))
    assert (again.code, "holds: recomputed from the ledger" in again.output) == (0, True)


INTERRUPTED = """
import signal
from conformance.runs.processes.pytest_process import JudgingProcess

begin = JudgingProcess.__init__


def interrupted(self, *words):
    signal.raise_signal(signal.SIGINT)
    begin(self, *words)


JudgingProcess.__init__ = interrupted
"""
"""Ctrl-C just before the run begins."""


def test_interrupted_run_signs_no_certificate_that_it_found(issued: Path, keys: Path, tmp_path: Path) -> None:
    """Somebody else's certificate in its directory has no signature of the owner of the key."""
    out = tmp_path / "other" / "out"
    out.mkdir(parents=True)
    shutil.copy(issued, out)
    words = (*SMALL, "--certify", "--sign", str(keys / "own.pem"))
    ran = command("run", *words, directory=out.parent, env=running_first(tmp_path, INTERRUPTED))
    assert (ran.code, "interrupted before anything was sent" in ran.output) == (3, True)
    assert [path.name for path in out.glob("certificate*")] == ["certificate.json"]


def test_certified_run_has_the_profile_of_another_one(certified: Ran, tmp_path: Path) -> None:
    """What --certify itself sets is no change since a baseline that was certified as well."""
    words = ("--certify", "--baseline", str(certified.out), *BARE)
    ran = command("run", *SMALL, *words, directory=tmp_path)
    assert "Since the baseline: nothing changed" in ran.output, ran.output
    assert "another profile" not in (ran.out / "changes.md").read_text(encoding="utf-8")


def test_member_of_another_type_is_refused(issued: Path) -> None:
    """Wherever a member has another type, there is no certificate to verify: one line, and 2.

    What writing teaches of an appliance is a number, or null where nothing was written.
    """

    def read(document: object) -> None:
        issued.write_bytes(encode(document))
        read_certificate(issued)

    places = places_taken(json.loads(issued.read_bytes()), read, CertificateError)
    nothing = {f"scope.appliances.0.{name}" for name in ("slowest_effect_s", "quiet_s")}
    assert {place.partition(".")[0] for place in places - nothing} <= {
        "readings"
    }  # one is a Boolean or a word
    read_twice = '{"schema": "appliance-conformance/certificate/1", "digests": 5}'
    issued.write_text(read_twice, encoding="utf-8")
    result = command("verify", str(issued))
    assert (result.code, result.output.count("\n"), "`$.digests`" in result.output) == (2, 1, True)


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (7, "holds: recomputed from the ledger"),
        (8, "/power/found: the certificate says 7, the ledger gives 8"),
    ],
)
def test_power_is_found_again(issued: Path, found: int, says: str) -> None:
    """A certificate that names a power holds where mutants give the same with the profile of the ledger."""
    named = '"power": {"found": 7, "known": 10, "within": null}'
    issued.write_text(issued.read_text(encoding="utf-8").replace('"power": null', named), encoding="utf-8")
    attestation_of(issued).unlink()  # which is of the certificate without it
    again = verified(issued, found=found)
    assert says in again.lines[0]
    told = "power 70 %: would have found 7 of 10 known faults"
    assert (told in again.lines) == (again.outcome is CertificateState.HOLDS)


def test_certificate_without_its_ledger_is_not_recomputed(issued: Path) -> None:
    """Another ledger beside it is none, and without one nothing is known, which is no pass."""
    ledger = issued.with_name(LEDGER)
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))
    assert "is another ledger" in verified(issued).lines[0]
    ledger.unlink()
    assert command("verify", str(issued)).code == CertificateState.NOT_RECOMPUTED == 3


@pytest.mark.parametrize(
    ("now", "says"),
    [
        ("2099-01-01", "expired on "),
        ("2020-01-01", "here it is 1 Jan 2020, 00:00:00 UTC: one of two clocks is wrong"),
    ],
)
def test_certificate_of_another_time_ends_in_four(issued: Path, now: str, says: str) -> None:
    """A certificate that holds but has expired, or is of a time to come, is not to be relied on."""
    again = verified(issued, now=datetime.fromisoformat(f"{now}T00:00:00+00:00"))
    assert (int(again.outcome), says in again.lines[0]) == (4, True), again.lines
    assert "apart from that it holds" in again.lines[0]


def test_clock_of_another_machine_may_be_slow(issued: Path) -> None:
    """Whoever verifies at once, by a clock that is some hours behind, is told that it holds."""
    at = datetime.fromisoformat(read_certificate(issued).issued) - timedelta(hours=20)
    assert verified(issued, now=at).outcome is CertificateState.HOLDS
