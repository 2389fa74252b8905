"""A ledger is judged again, its certificate is recomputed, and any change to either is named."""

import json
from datetime import datetime
from pathlib import Path

import pytest
from msgspec.json import encode

from conformance.runs.saved.verifying import CertificateState
from conformance.selftest.support.commands import FILES, command
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.altered import places_taken
from conformance.selftest.support.samples.signed import SMALL, verified
from reports.attestation import attestation_of
from reports.certificate import CertificateError, read_certificate

DIFFERS, NOT_RECOMPUTED = CertificateState.DIFFERS, CertificateState.NOT_RECOMPUTED
ALTERED = [
    ('"exchanges": 1,', '"exchanges": 2,', DIFFERS, "at /clauses/0 (ADDR-BASE)/exchanges: the cert"),
    ('"verdict": "conforms"', '"verdict": "conforms!"', DIFFERS, "at /verdict: the certificate says"),
    ('"level": "read"', '"level": "power"', DIFFERS, "at /scope/level: the certificate says"),
    ('"expires": "2', '"expires": "3', DIFFERS, "at /expires: the certificate says"),
    ('"I-7": true', '"I-7": false', DIFFERS, "at /readings/I-7: the certificate says"),
    ('"counts": {', '"counts": {"better": 1, ', DIFFERS, "at /counts/better: the certificate says"),
    ("{", '{"counts/pass": 99999,', DIFFERS, "in other tables and lists, or more"),
    ("{", '{"clauses/0 (ADDR-BASE)/verdict": "fail",', DIFFERS, "in other tables and lists, or more"),
    ('"version": "', '"version": "9.', NOT_RECOMPUTED, 'by another suite: its version is "9.'),
    ('"catalog": "', '"catalog": "9.', NOT_RECOMPUTED, 'by another suite: its catalog is "9.'),
    ('"judging": "', '"judging": "9.', NOT_RECOMPUTED, 'by another suite: its judging is "9.'),
    ('"kill_matrix": "', '"kill_matrix": "9.', NOT_RECOMPUTED, 'by another suite: its kill matrix is "9.'),
]
"""What of a certificate is changed into what, and what is said of it."""


def test_certificate_holds(certified: Ran) -> None:
    """A certificate verifies on its own ledger, and verify says what it certifies."""
    result = command("verify", str(certified.out / "certificate.json"))
    assert (certified.code, result.code) == (0, 0)
    assert "holds: recomputed from the ledger, and nothing differs" in result.output
    assert "a server of appliance-conformance (" in result.output
    written = (FILES - {"journal.ndjson"}) | {"certificate.json", "certificate.intoto.jsonl"}
    assert {path.name for path in certified.out.iterdir()} == written


def test_certificate_is_the_same_again(certified: Ran, tmp_path: Path) -> None:
    """Judging the ledger again writes a certificate with the same bytes."""
    again = command("judge", str(certified.out / "evidence.ndjson"), "--certify", directory=tmp_path)
    assert again.code == 0
    assert (again.out / "certificate.json").read_bytes() == (certified.out / "certificate.json").read_bytes()


@pytest.mark.parametrize(("old", "new", "outcome", "says"), ALTERED)
def test_altered_certificate_is_named(
    issued: Path, old: str, new: str, outcome: CertificateState, says: str
) -> None:
    """A changed figure or member is found by recomputing; another suite is to verify what it has issued."""
    issued.write_text(issued.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    again = verified(issued)
    assert (again.outcome, says in again.lines[0]) == (outcome, True), again.lines


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


def test_altered_ledger_is_named(issued: Path) -> None:
    """A changed answer in the ledger is found by its chain, a ledger of another run by its digest."""
    ledger = issued.with_name("evidence.ndjson")
    text = ledger.read_text(encoding="utf-8")
    ledger.write_text(text.replace('"status":200', '"status":201', 1), encoding="utf-8")
    assert "does not follow the line before it" in verified(issued).lines[0]
    ledger.write_text(text[: text.rindex("{")], encoding="utf-8")
    assert "is another ledger" in verified(issued).lines[0]


def test_certificate_without_its_ledger_is_not_recomputed(issued: Path) -> None:
    """Without the ledger beside it nothing is known, which is no pass."""
    issued.with_name("evidence.ndjson").unlink()
    assert command("verify", str(issued)).code == CertificateState.NOT_RECOMPUTED == 3


def test_expired_certificate_ends_in_four(issued: Path) -> None:
    """A certificate that holds but has expired is no longer to be relied on."""
    again = verified(issued, now=datetime.fromisoformat("2099-01-01T00:00:00+00:00"))
    assert again.outcome is CertificateState.EXPIRED
    assert "apart from that it holds" in again.lines[0]


def test_failing_target_gets_none(tmp_path: Path) -> None:
    """A mutant gets no certificate, and an older one in the same place goes, with its attestation."""
    (tmp_path / "out").mkdir()
    for name in ("certificate.json", "certificate.intoto.jsonl"):
        (tmp_path / "out" / name).write_text("{}", encoding="utf-8")
    ran = command("run", "mutant:any-ha-id", "--level", "read", "--certify", directory=tmp_path)
    assert (ran.code, list(ran.out.glob("certificate.*"))) == (1, [])
    assert "no certificate: the target does not conform" in ran.output


def test_part_of_the_cases_gets_none(tmp_path: Path) -> None:
    """Where only some cases are selected there is no certificate."""
    ran = command("run", *SMALL, "--certify", "--", "-k", "TYPE", directory=tmp_path)
    assert (ran.code, (ran.out / "certificate.json").exists()) == (3, False)
    assert ran.results["refused"] == ["only some of the cases were judged"]


def test_run_that_was_cut_off_is_no_pass(tmp_path: Path) -> None:
    """A ledger without its last line is that of a killed run: what is there is judged, and no more."""
    whole = command("run", *SMALL, "--", "-k", "TYPE", directory=tmp_path)
    lines = (whole.out / "evidence.ndjson").read_text(encoding="utf-8").splitlines()
    (tmp_path / "cut.ndjson").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    again = command("judge", str(tmp_path / "cut.ndjson"), "--", "-k", "TYPE", directory=tmp_path / "again")
    assert (whole.code, again.code, again.results["verdict"]) == (0, 3, "inconclusive")
    assert again.results["cases"] == whole.results["cases"]


def test_what_a_ledger_lacks_is_inconclusive(tmp_path: Path) -> None:
    """What a run did not ask is inconclusive in its ledger: it neither passes, fails nor lacks a subject."""
    part = command("run", *SMALL, "--", "-k", "ChildLock", directory=tmp_path)
    again = command("judge", str(part.out / "evidence.ndjson"), directory=tmp_path / "again")
    cases = [case for case in again.results["cases"] if case["ha_id"] == "oven-1"]
    assert (part.code, again.code) == (0, 3)
    assert {case["verdict"] for case in cases if "AlarmClock" in case["key"]} == {"inconclusive"}
    assert "not_applicable" not in {case["verdict"] for case in cases}


def test_part_of_a_run_lacks_no_more_subjects(tmp_path: Path) -> None:
    """A key that is not served is not applicable, though keys beside which it would show were not asked."""
    part = command(
        "run",
        "reference",
        "--level",
        "read",
        "--",
        "-k",
        "TYPE-BOOLEAN and SabbathMode and fridge-2",
        directory=tmp_path,
    )
    assert [case["verdict"] for case in part.results["cases"]] == ["not_applicable"]
