"""A certificate is recomputed from its ledger, and its attestation is checked with a key and read by others;
whatever is changed or forged in the files is named.
"""

import json
import shutil
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from securesystemslib.dsse import Envelope

from conformance.records.journal_lines import JOURNAL_FILE
from conformance.runs.saved.verifying import CertificateState
from conformance.selftest.support.commands import BARE, FILES, command, program, running_first
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.signed import SMALL, openssl, verified
from reports.attestation import attest, attestation_of, load_signer
from reports.certificate import read_certificate

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


# The attestation of a certificate.
Forge: TypeAlias = Callable[[dict[str, Any]], object]
FORGED: list[tuple[Forge, str]] = [
    (lambda one: one["predicate"].update(result="FAILED"), '/predicate/result: the attestation says "FAIL'),
    (lambda one: one["predicate"]["failedTests"].append("X"), "/predicate/failedTests/0: the attestation"),
    (lambda one: one["subject"][1]["digest"].update(sha256="0" * 64), "/subject/1/digest/sha256: the att"),
    (lambda one: one["subject"].pop(), "/subject/2/name: the attestation says nothing, the certificate"),
]
"""What is changed in the statement, and where `verify` sees that."""
KEYS = [
    ("verify CERTIFICATE --public-key KEYS/x.pub", "not a public key in PEM, of a kind that signs"),
    ("verify CERTIFICATE --public-key KEYS/own.pem", "not a public key in PEM"),
    ("run reference --certify --out OUT --sign KEYS/x.pem", "without a password, of a kind that signs"),
    ("run reference --certify --out OUT --sign KEYS/own.pub", "not a private key in PEM"),
]
"""Commands with a key that cannot check a signature, or cannot sign, and what is said of it."""
WITHOUT_LIBRARY = """
import sys
from click.testing import CliRunner

sys.modules["cryptography"] = sys.modules["securesystemslib"] = None
from conformance.commands import main

certificate, key = sys.argv[1:]
for words in ((), ("--public-key", key)):
    ended = CliRunner().invoke(main, ["verify", certificate, *words])
    print(ended.exit_code, " ".join(ended.output.split()))
"""
ENVELOPE = '{"payloadType": "application/vnd.in-toto+json", "payload": %s, "signatures": []}'
NEEDED = "signatures need the extra `sign`: pip install 'securesystemslib[crypto]'"


@pytest.mark.parametrize(("forge", "says"), FORGED)
@pytest.mark.parametrize("again", [False, True])
def test_forged_statement_is_named(issued: Path, keys: Path, again: bool, forge: Forge, says: str) -> None:
    """Another statement is not signed by the owner; and if it is, it is not what the certificate says."""
    path = attestation_of(issued)
    envelope = json.loads(path.read_bytes())
    statement = json.loads(b64decode(envelope["payload"]))
    forge(statement)
    payload = json.dumps(statement).encode()
    envelope["payload"] = b64encode(payload).decode()
    if again:
        made = Envelope(payload, envelope["payloadType"], {}).sign(load_signer(keys / "own.pem"))
        signature = b64encode(bytes.fromhex(made.signature)).decode()
        envelope["signatures"] = [{"keyid": made.keyid, "sig": signature}]
    path.write_text(json.dumps(envelope), encoding="utf-8")
    for key, named in ((keys / "own.pub", says if again else "is not signed with"), (None, says)):
        told = verified(issued, key)
        assert (told.outcome, named in told.lines[0]) == (DIFFERS, True)


@pytest.mark.parametrize(("line", "why"), KEYS)
def test_unusable_key_is_refused(issued: Path, keys: Path, line: str, why: str) -> None:
    """It is named; nothing is sent before that."""
    for word, place in {"CERTIFICATE": issued, "KEYS": keys, "OUT": issued.parent / "out"}.items():
        line = line.replace(word, str(place))
    result = command(*line.split())
    assert (result.code, why in result.output, (issued.parent / "out").exists()) == (2, True, False)


def test_signature_is_checked_with_the_key(issued: Path, keys: Path) -> None:
    """The owner's key confirms the attestation, and that is of the very bytes of this certificate."""
    assert "signed with" in verified(issued, keys / "own.pub").lines[-1]
    assert "give --public-key" in verified(issued).lines[-1]
    assert verified(issued, keys / "other.pub").outcome is DIFFERS
    attestation_of(issued).unlink()
    assert "nothing shows who made the ledger" in verified(issued).lines[-1]


@pytest.mark.parametrize("algorithm", ["EC -pkeyopt ec_paramgen_curve:P-256", "RSA"])
def test_other_kinds_of_keys_sign(issued: Path, algorithm: str) -> None:
    """Keys of ECDSA and RSA sign as well, and confirm what they have signed."""
    private, public = issued.with_name("key.pem"), issued.with_name("key.pub")
    openssl("genpkey", "-algorithm", *algorithm.split(), "-out", str(private))
    openssl("pkey", "-in", str(private), "-pubout", "-out", str(public))
    assert verified(issued, public).outcome is DIFFERS
    attest(issued, load_signer(private))
    told = verified(issued, public)
    assert (told.outcome, told.lines[-1].strip()) == (CertificateState.HOLDS, f"signed with {public}")


def test_openssl_checks_an_attestation(issued: Path, keys: Path) -> None:
    """What is signed is what DSSE says: the type and the payload, each with its length."""
    envelope = json.loads(attestation_of(issued).read_bytes())
    payload, kind = b64decode(envelope["payload"]), envelope["payloadType"].encode()
    signed, signature = issued.with_name("pae"), issued.with_name("sig")
    signed.write_bytes(b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload))
    signature.write_bytes(b64decode(envelope["signatures"][0]["sig"]))
    verify = ("pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", str(keys / "own.pub"))
    assert "Successfully" in openssl(*verify, "-in", str(signed), "-sigfile", str(signature))


def test_attestation_is_read_by_in_toto(issued: Path) -> None:
    """The reader of in-toto finds a statement: the digests of the files, and a predicate of its schema."""
    payload = b64decode(json.loads(attestation_of(issued).read_bytes())["payload"])
    json_format = import_module("google.protobuf.json_format")  # has no types, as its messages have none
    records = import_module("in_toto_attestation.v1.statement_pb2")
    results = import_module("in_toto_attestation.predicates.test_result.v0.test_result_pb2")
    reader = import_module("in_toto_attestation.v1.statement").Statement
    statement = reader.copy_from_pb(json_format.Parse(payload, records.Statement()))
    statement.validate()
    ledger = issued.with_name("evidence.ndjson")
    certificate = read_certificate(issued)
    assert {one.name: one.digest["sha256"] for one in statement.pb.subject} == {
        "certificate.json": sha256(issued.read_bytes()).hexdigest(),
        "evidence.ndjson": sha256(ledger.read_bytes()).hexdigest(),
        certificate.product.name: certificate.digests["profile"],
    }
    assert statement.pb.predicate_type == "https://in-toto.io/attestation/test-result/v0.1"
    predicate = json_format.MessageToDict(statement.pb.predicate)
    result = json_format.ParseDict(predicate, results.TestResult())
    passed = [one.id for one in certificate.clauses if one.verdict == "pass"]
    assert (result.result, list(result.passed_tests), list(result.failed_tests)) == ("PASSED", passed, [])


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        (CERTIFICATE, '{"schema": "appliance-conformance/certificate/1", "digests": 5}', "`$.digests`"),
        (ATTESTATION, ENVELOPE % '"NQ=="', "no statement: it is a single value"),
        (ATTESTATION, ENVELOPE % 5, "no envelope of DSSE: Expected `bytes`, got `int` - at `$.payload`"),
    ],
)
def test_unreadable_file_is_refused(issued: Path, file: str, text: str, says: str) -> None:
    """What is no certificate, or no envelope with a statement, ends verify with 2 and one line."""
    issued.with_name(file).write_text(text, encoding="utf-8")
    result = command("verify", str(issued))
    assert (result.code, says in result.output, result.output.count("\n")) == (2, True, 1), result.output


def test_only_signatures_need_their_library(issued: Path, keys: Path) -> None:
    """Without the extra `sign` a certificate is verified, and --public-key says what it needs."""
    words = (str(issued), str(keys / "own.pub"))
    ran = program(sys.executable, "-P", "-c", WITHOUT_LIBRARY, *words, directory=issued.parent)
    without, signed = ran.output.splitlines()
    assert (without[:2], "holds: recomputed" in without) == ("0 ", True), ran.output
    assert (signed[:2], NEEDED in signed) == ("2 ", True), ran.output
