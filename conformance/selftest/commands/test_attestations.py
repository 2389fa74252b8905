"""The attestation of a certificate is checked with a key and read by others; what is forged is named."""

import json
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from securesystemslib.dsse import Envelope

from conformance.runs.saved.verifying import CertificateState
from conformance.selftest.support.commands import command, program
from conformance.selftest.support.samples.signed import openssl, verified
from reports.attestation import attest, attestation_of, load_signer
from reports.certificate import read_certificate

Forge: TypeAlias = Callable[[dict[str, Any]], object]
DIFFERS, NOT_RECOMPUTED = CertificateState.DIFFERS, CertificateState.NOT_RECOMPUTED
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
    ("payload", "says"),
    [
        ('"e"', "no envelope of DSSE: Invalid base64 encoded string - at `$.payload`"),
        ('"NQ=="', "no statement: it is a single value"),
        ("5", "no envelope of DSSE: Expected `bytes`, got `int` - at `$.payload`"),
    ],
)
def test_unreadable_attestation_is_refused(issued: Path, payload: str, says: str) -> None:
    """What is no envelope with a statement ends verify with 2 and one line."""
    envelope = f'{{"payloadType": "application/vnd.in-toto+json", "payload": {payload}, "signatures": []}}'
    attestation_of(issued).write_text(envelope, encoding="utf-8")
    result = command("verify", str(issued))
    assert (result.code, says in result.output, result.output.count("\n")) == (2, True, 1), result.output


def test_only_signatures_need_their_library(issued: Path, keys: Path) -> None:
    """Without the extra `sign` a certificate is verified, and --public-key says what it needs."""
    words = (str(issued), str(keys / "own.pub"))
    ran = program(sys.executable, "-P", "-c", WITHOUT_LIBRARY, *words, directory=issued.parent)
    without, signed = ran.output.splitlines()
    assert (without[:2], "holds: recomputed" in without) == ("0 ", True), ran.output
    assert (signed[:2], NEEDED in signed) == ("2 ", True), ran.output
