"""A certificate is recomputed from its ledger: it holds as it was issued, and any change to it or to the
ledger is named.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from conformance.runs.saved.verifying import CertificateState, verify
from conformance.selftest.support.altered import taken
from conformance.selftest.support.commanding import FILES, ROOT, SCRIPT, finished, run, said
from reports.certificate import CertificateError, read_certificate

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.selftest.support.commanding import Ran


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two key pairs as openssl makes them, and a key of another kind."""
    directory = tmp_path_factory.mktemp("keys")
    for name, algorithm in (("own", "ed25519"), ("other", "ed25519"), ("x", "x25519")):
        openssl("genpkey", "-algorithm", algorithm, "-out", str(directory / f"{name}.pem"))
        openssl(
            "pkey", "-in", str(directory / f"{name}.pem"), "-pubout", "-out", str(directory / f"{name}.pub")
        )
    return directory


def openssl(*words: str) -> str:
    """What openssl says; it ends well, or the test does not."""
    return subprocess.run(["openssl", *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Ran:
    """A run of a server of one appliance with a signed certificate."""
    return run(
        tmp_path_factory.mktemp("certified"),
        "variant:off-means-standby",
        "--level",
        "read",
        "--certify",
        "--sign",
        str(keys / "own.pem"),
    )


@pytest.fixture
def issued(certified: Ran, tmp_path: Path) -> Path:
    """A copy of the certificate, its signature and its ledger, to be altered."""
    for name in ("certificate.json", "certificate.json.sig", "evidence.ndjson"):
        shutil.copy(certified.out / name, tmp_path)
    return tmp_path / "certificate.json"


def test_certificate_holds(certified: Ran) -> None:
    """A certificate verifies on its own ledger, and verify says what it certifies; the files of the run are
    there as ever.
    """
    result = said("verify", str(certified.out / "certificate.json"))
    assert (certified.code, result.exit_code) == (0, 0)
    assert "holds: recomputed from the ledger, and nothing differs" in result.output
    assert "a server of appliance-conformance (" in result.output
    assert {path.name for path in certified.out.iterdir()} == (FILES - {"journal.ndjson"}) | {
        "certificate.json",
        "certificate.json.sig",
    }


def test_certificate_is_the_same_again(certified: Ran, tmp_path: Path) -> None:
    """Judging the ledger again writes a certificate with the same bytes."""
    again = finished(
        [SCRIPT, "judge", str(certified.out / "evidence.ndjson"), "--certify", "--out", "out"], tmp_path
    )
    assert again.code == 0
    assert (again.out / "certificate.json").read_bytes() == (certified.out / "certificate.json").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ('"exchanges": 1,', '"exchanges": 2,', "/clauses/0 (ADDR-BASE)/exchanges"),
        ('"verdict": "conforms"', '"verdict": "conforms!"', "/verdict"),
        ('"level": "read"', '"level": "power"', "/scope/level"),
        ('"expires": "2', '"expires": "3', "/expires"),
        ('"I-7": true', '"I-7": false', "/readings/I-7"),
        ('"counts": {', '"counts": {"better": 1, ', "/counts/better"),
    ],
)
def test_altered_certificate_is_named(issued: Path, old: str, new: str, named: str) -> None:
    """One changed figure, word or member is found by recomputing, and verify names its place."""
    issued.write_text(issued.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    verified = verify(issued)
    assert verified.outcome is CertificateState.DIFFERS
    assert f"at {named}: the certificate says" in verified.lines[0]


@pytest.mark.parametrize("member", ['"counts/pass": 99999', '"clauses/0 (ADDR-BASE)/verdict": "fail"'])
def test_member_that_looks_like_a_place_is_found(issued: Path, member: str) -> None:
    """A member whose name is spelled like the place of another one is no part of what the ledger gives."""
    issued.write_text(issued.read_text(encoding="utf-8").replace("{", f"{{{member},", 1), encoding="utf-8")
    verified = verify(issued)
    assert verified.outcome is CertificateState.DIFFERS
    assert "in other tables and lists, or more" in verified.lines[0]


def test_certificate_that_says_something_twice_is_none(issued: Path) -> None:
    """Of two verdicts in one certificate each reader would take another, so it is not read at all."""
    issued.write_text(
        issued.read_text(encoding="utf-8").replace("{", '{"verdict": "conforms to all",', 1), encoding="utf-8"
    )
    result = said("verify", str(issued))
    assert (result.exit_code, '"verdict" stands twice in one object' in result.output) == (2, True)


def test_member_of_another_type_is_refused(issued: Path) -> None:
    """Wherever a member has another type, there is no certificate to verify: one line, and 2."""

    def read(document: object) -> None:
        issued.write_text(json.dumps(document), encoding="utf-8")
        read_certificate(issued)

    places = taken(json.loads(issued.read_bytes()), read, CertificateError)
    assert {
        place for place in places if not place.startswith("readings.")
    } == set()  # a reading is a Boolean or a word
    issued.write_text('{"schema": "appliance-conformance/certificate/1", "digests": 5}', encoding="utf-8")
    result = said("verify", str(issued))
    assert (result.exit_code, result.output.count("\n"), "member verdict" in result.output) == (2, 1, True)


def test_altered_ledger_is_named(issued: Path) -> None:
    """A changed answer in the ledger is found by its chain, a ledger of another run by its digest."""
    ledger = issued.with_name("evidence.ndjson")
    text = ledger.read_text(encoding="utf-8")
    ledger.write_text(text.replace('"status":200', '"status":201', 1), encoding="utf-8")
    assert "does not follow the line before it" in verify(issued).lines[0]
    ledger.write_text(text[: text.rindex("{")], encoding="utf-8")
    assert "is another ledger" in verify(issued).lines[0]


def test_certificate_without_its_ledger_is_not_recomputed(issued: Path) -> None:
    """Without the ledger beside it nothing is known, which is no pass."""
    issued.with_name("evidence.ndjson").unlink()
    assert said("verify", str(issued)).exit_code == CertificateState.NOT_RECOMPUTED == 3


@pytest.mark.parametrize(
    ("name", "of"),
    [("version", "version"), ("catalog", "catalog"), ("judging", "judging"), ("kill_matrix", "kill matrix")],
)
def test_certificate_of_another_suite_is_not_recomputed(issued: Path, name: str, of: str) -> None:
    """A certificate that another version of the suite issued, or one with another catalog or proof, is to be
    verified with that one.
    """
    issued.write_text(
        re.sub(f'"{name}": "[^"]*"', f'"{name}": "9.0.0"', issued.read_text(encoding="utf-8")),
        encoding="utf-8",
    )
    verified = verify(issued)
    assert verified.outcome is CertificateState.NOT_RECOMPUTED
    assert verified.lines[0].startswith(f'judged by another suite: its {of} is "9.0.0", here it is "')


def test_expired_certificate_ends_in_four(issued: Path) -> None:
    """A certificate that holds but has expired is no longer to be relied on."""
    verified = verify(issued, now=datetime.fromisoformat("2099-01-01T00:00:00+00:00"))
    assert verified.outcome is CertificateState.EXPIRED
    assert "apart from that it holds" in verified.lines[0]


def test_signature_is_checked_with_the_key(issued: Path, keys: Path) -> None:
    """The owner's key confirms it, another one does not; openssl says the same of the same bytes."""
    assert "signed with" in verify(issued, keys / "own.pub").lines[-1]
    assert verify(issued, keys / "other.pub").outcome is CertificateState.DIFFERS
    signature = ("-rawin", "-in", str(issued), "-sigfile", f"{issued}.sig")
    assert "Successfully" in openssl(
        "pkeyutl", "-verify", "-pubin", "-inkey", str(keys / "own.pub"), *signature
    )


def test_signature_of_other_bytes_is_none(issued: Path, keys: Path) -> None:
    """A certificate that was altered after it was signed is refused before anything is recomputed."""
    issued.write_text(issued.read_text(encoding="utf-8") + " ", encoding="utf-8")
    assert "is not a signature of it" in verify(issued, keys / "own.pub").lines[0]


@pytest.mark.parametrize(
    ("key", "why"), [("x.pub", "not an Ed25519 key"), ("own.pem", "not a public key in PEM")]
)
def test_other_keys_are_refused(issued: Path, keys: Path, key: str, why: str) -> None:
    """A key that cannot check the signature is named."""
    result = said("verify", str(issued), "--public-key", str(keys / key))
    assert (result.exit_code, why in result.output) == (2, True)


@pytest.mark.parametrize(
    ("key", "why"), [("x.pem", "not an Ed25519 key"), ("own.pub", "not a private key in PEM")]
)
def test_unusable_key_stops_before_the_run(tmp_path: Path, keys: Path, key: str, why: str) -> None:
    """A key that cannot sign is found before anything is sent."""
    result = said("run", "reference", "--certify", "--sign", str(keys / key), "--out", str(tmp_path))
    assert (result.exit_code, why in result.output, list(tmp_path.iterdir())) == (2, True, [])


def test_signature_needs_a_certificate(tmp_path: Path, keys: Path) -> None:
    """Without --certify there is nothing to sign."""
    assert (
        "--sign goes with --certify"
        in said("run", "--sign", str(keys / "own.pem"), "--out", str(tmp_path)).output
    )


def test_certificate_needs_a_product(tmp_path: Path) -> None:
    """A profile that does not name the product gets no certificate, and is told so
    before anything is sent.
    """
    ran = run(
        tmp_path, "--base-url", "http://127.0.0.1:1", "--appliance", "fridge-1:Refrigerator", "--certify"
    )
    assert ran.code == 2
    assert "target.product: is not there" in ran.output


def test_failing_target_gets_none(tmp_path: Path) -> None:
    """A mutant gets no certificate, and an older one in the same place goes, with its signature."""
    (tmp_path / "out").mkdir()
    for name in ("certificate.json", "certificate.json.sig"):
        (tmp_path / "out" / name).write_text("{}", encoding="utf-8")
    ran = run(tmp_path, "mutant:any-ha-id", "--certify")
    assert (ran.code, list(ran.out.glob("certificate.json*"))) == (1, [])
    assert "no certificate: the target does not conform" in ran.output


def test_ledger_of_another_run_gets_none(certified: Ran, tmp_path: Path) -> None:
    """A certificate names the ledger beside it, so that bare pytest's --evidence cannot bring in one from
    elsewhere.
    """
    pytest_ = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        str(ROOT / "pyproject.toml"),
        "--rootdir",
        str(ROOT),
        str(ROOT / "conformance"),
    ]
    ran = finished(
        [*pytest_, "--certify", "--out=out", f"--evidence={certified.out / 'evidence.ndjson'}"], tmp_path
    )
    assert (ran.code, "reports are made from the ledger in --out" in ran.output) == (4, True)


def test_part_of_the_cases_gets_none(tmp_path: Path) -> None:
    """Where only some cases are selected there is no certificate, and the run ends in 3, also where workers
    judge.
    """
    ran = run(
        tmp_path,
        "variant:off-means-standby",
        "--level",
        "read",
        "--certify",
        "--workers",
        "1",
        "--",
        "-k",
        "TYPE",
    )
    assert (ran.code, (ran.out / "certificate.json").exists()) == (3, False)
    assert json.loads((ran.out / "results.json").read_bytes())["refused"] == [
        "only some of the cases were judged"
    ]
