"""A ledger is judged again, its certificate is recomputed, and any change to either is named."""

import json
import shutil
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from msgspec.json import encode
from securesystemslib.dsse import Envelope

from catalog.model import Level
from conformance.profiles.model import Profile
from conformance.records.known_faults import FoundFaults, RunPower
from conformance.runs.saved.verifying import CertificateState, Verified, verify
from conformance.selftest.support.commanding import (
    FILES,
    FRIDGE,
    finished,
    judged_again,
    run,
    running_first,
    said,
)
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.altered import taken
from reports.attestation import attestation_of, load_signer
from reports.certificate import CertificateError, read_certificate

Forge: TypeAlias = Callable[[dict[str, Any]], object]
SMALL = ("variant:off-means-standby", "--level", "read")
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
KEYS = [
    ("x.pub", "verify", "not a public key in PEM, of a kind that signs"),
    ("own.pem", "verify", "not a public key in PEM"),
    ("x.pem", "run", "without a password, of a kind that signs"),
    ("own.pub", "run", "not a private key in PEM"),
]


WITHOUT_LIBRARY = """
import sys

sys.modules["cryptography"] = sys.modules["securesystemslib"] = None
from conformance.commands import main

main()
"""


def verified(path: Path, key: Path | None = None, *, found: int = 0, now: datetime | None = None) -> Verified:
    """What `verify` says where the mutants, if they are judged, give a power of so many of ten faults."""

    def power_of(profile: Profile, level: Level) -> RunPower:
        assert (len(profile.appliance), level) == (1, "read")
        return RunPower(level, FoundFaults(found, 10))

    return verify(path, key, power_of=power_of, now=now)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two key pairs as openssl makes them, and a key of another kind."""
    directory = tmp_path_factory.mktemp("keys")
    for name, algorithm in (("own", "ed25519"), ("other", "ed25519"), ("x", "x25519")):
        private, public = str(directory / f"{name}.pem"), str(directory / f"{name}.pub")
        openssl("genpkey", "-algorithm", algorithm, "-out", private)
        openssl("pkey", "-in", private, "-pubout", "-out", public)
    return directory


def openssl(*words: str) -> str:
    """What openssl says; it ends well, or the test does not."""
    return subprocess.run(["openssl", *words], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Ran:
    """A run of a server of one appliance with a signed certificate."""
    return run(tmp_path_factory.mktemp("certified"), *SMALL, "--certify", "--sign", str(keys / "own.pem"))


@pytest.fixture
def issued(certified: Ran, tmp_path: Path) -> Path:
    """A copy of the certificate, its attestation and its ledger, to be altered."""
    for name in ("certificate.json", "certificate.intoto.jsonl", "evidence.ndjson"):
        shutil.copy(certified.out / name, tmp_path)
    return tmp_path / "certificate.json"


def test_certificate_holds(certified: Ran) -> None:
    """A certificate verifies on its own ledger, and verify says what it certifies."""
    result = said("verify", str(certified.out / "certificate.json"))
    assert (certified.code, result.exit_code) == (0, 0)
    assert "holds: recomputed from the ledger, and nothing differs" in result.output
    assert "a server of appliance-conformance (" in result.output
    written = (FILES - {"journal.ndjson"}) | {"certificate.json", "certificate.intoto.jsonl"}
    assert {path.name for path in certified.out.iterdir()} == written


NEEDED = "signatures need the extra `sign`: pip install 'securesystemslib[crypto]'"


@pytest.mark.parametrize(("name", "ends"), [("", (0, "holds: recomputed")), ("own.pub", (2, NEEDED))])
def test_only_signatures_need_their_library(
    issued: Path, keys: Path, name: str, ends: tuple[int, str]
) -> None:
    """Without the extra `sign` a certificate is verified, and --public-key says what it needs."""
    words = ["--public-key", str(keys / name)] if name else []
    verifying = [sys.executable, "-P", "-c", WITHOUT_LIBRARY, "verify", str(issued), *words]
    ran = finished(verifying, issued.parent)
    assert (ran.code, ends[1] in ran.output) == (ends[0], True), ran.output


def test_later_run_keeps_the_certificate(issued: Path, keys: Path) -> None:
    """A run into the same directory keeps the certificate of an earlier one, which holds where it is then."""
    before = issued.read_bytes()
    dead = ("--base-url", "http://127.0.0.1:1", "--appliance", "oven-1:Oven", "--out", str(issued.parent))
    ended = finished([sys.executable, "-P", "-m", "conformance", "run", *dead], issued.parent)
    (kept,) = issued.parent.glob("certificates/*/certificate.json")
    assert (ended.code, issued.exists(), kept.read_bytes()) == (3, False, before)
    assert f"the certificate of an earlier run is kept: {kept}" in ended.output
    again = said("verify", str(kept), "--public-key", str(keys / "own.pub"))
    assert (again.exit_code, "holds: recomputed from the ledger" in again.output) == (0, True)


def test_certificate_is_the_same_again(certified: Ran, tmp_path: Path) -> None:
    """Judging the ledger again writes a certificate with the same bytes."""
    again = judged_again(certified.out / "evidence.ndjson", tmp_path, "--certify")
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

    places = taken(json.loads(issued.read_bytes()), read, CertificateError)
    nothing = {f"scope.appliances.0.{name}" for name in ("slowest_effect_s", "quiet_s")}
    assert {place.partition(".")[0] for place in places - nothing} <= {
        "readings"
    }  # one is a Boolean or a word
    read_twice = '{"schema": "appliance-conformance/certificate/1", "digests": 5}'
    issued.write_text(read_twice, encoding="utf-8")
    result = said("verify", str(issued))
    assert (result.exit_code, result.output.count("\n"), "`$.digests`" in result.output) == (2, 1, True)


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
    assert said("verify", str(issued)).exit_code == CertificateState.NOT_RECOMPUTED == 3


def test_expired_certificate_ends_in_four(issued: Path) -> None:
    """A certificate that holds but has expired is no longer to be relied on."""
    again = verified(issued, now=datetime.fromisoformat("2099-01-01T00:00:00+00:00"))
    assert again.outcome is CertificateState.EXPIRED
    assert "apart from that it holds" in again.lines[0]


def test_signature_is_checked_with_the_key(issued: Path, keys: Path) -> None:
    """The owner's key confirms the attestation, and that is of the very bytes of this certificate."""
    assert "signed with" in verified(issued, keys / "own.pub").lines[-1]
    assert "give --public-key" in verified(issued).lines[-1]
    assert verified(issued, keys / "other.pub").outcome is DIFFERS
    issued.write_text(issued.read_text(encoding="utf-8") + " ", encoding="utf-8")
    for key in (keys / "own.pub", None):
        assert (
            "its attestation differs from it, at /subject/0/digest/sha256: " in verified(issued, key).lines[0]
        )


def test_openssl_checks_an_attestation(issued: Path, keys: Path) -> None:
    """What is signed is what DSSE says: the type and the payload, each with its length."""
    envelope = json.loads(attestation_of(issued).read_bytes())
    payload, kind = b64decode(envelope["payload"]), envelope["payloadType"].encode()
    (issued.parent / "pae").write_bytes(b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload))
    (issued.parent / "sig").write_bytes(b64decode(envelope["signatures"][0]["sig"]))
    words = ("-in", str(issued.parent / "pae"), "-sigfile", str(issued.parent / "sig"))
    told = openssl("pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", str(keys / "own.pub"), *words)
    assert "Successfully" in told


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


FORGED: list[tuple[Forge, str]] = [
    (
        lambda one: one["predicate"].update(result="FAILED"),
        '/predicate/result: the attestation says "FAILED"',
    ),
    (lambda one: one["predicate"]["failedTests"].append("X"), "/predicate/failedTests/0: the attestation"),
    (lambda one: one["subject"][1]["digest"].update(sha256="0" * 64), "/subject/1/digest/sha256: the att"),
    (
        lambda one: one["subject"].pop(),
        "/subject/2/name: the attestation says nothing, the certificate gives",
    ),
]
"""What is changed in the statement, and where `verify` sees that."""


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
    told = verified(issued, keys / "own.pub")
    assert (told.outcome, (says if again else "is not signed with") in told.lines[0]) == (DIFFERS, True)
    told = verified(issued)
    assert (told.outcome, says in told.lines[0]) == (DIFFERS, True)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"sig": "', '"sig": "AAAA'),
        ('"keyid": "', '"keyid": "0'),
        ("in-toto+json", "in-toto+jsom"),
        ('"signatures": [', '"signatures": [], "was": ['),
    ],
)
def test_forged_envelope_is_not_signed(issued: Path, keys: Path, old: str, new: str) -> None:
    """A changed signature, key or type of the payload is no signature of the owner."""
    path = attestation_of(issued)
    text = json.dumps(json.loads(path.read_bytes()))
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    told = verified(issued, keys / "own.pub")
    assert (told.outcome, "is not signed with" in told.lines[0]) == (DIFFERS, True)


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        ('"e"', "no envelope of DSSE: Invalid base64 encoded string - at `$.payload`"),
        ('"NQ=="', "no statement: it is no JSON object"),
        ("5", "no envelope of DSSE: Expected `bytes`, got `int` - at `$.payload`"),
    ],
)
def test_unreadable_attestation_is_refused(issued: Path, payload: str, says: str) -> None:
    """What is no envelope with a statement ends verify with 2 and one line."""
    envelope = f'{{"payloadType": "application/vnd.in-toto+json", "payload": {payload}, "signatures": []}}'
    attestation_of(issued).write_text(envelope, encoding="utf-8")
    result = said("verify", str(issued))
    assert (result.exit_code, says in result.output, result.output.count("\n")) == (2, True, 1), result.output


@pytest.mark.parametrize(("key", "command", "why"), KEYS)
def test_unusable_key_is_refused(issued: Path, keys: Path, key: str, command: str, why: str) -> None:
    """A key that cannot check the signature, or cannot sign, is named; nothing is sent before that."""
    out = issued.parent / "out"
    words = ("--public-key", str(keys / key)) if command == "verify" else ("--certify", "--out", str(out))
    target = str(issued) if command == "verify" else "reference"
    sign = ("--sign", str(keys / key)) if command == "run" else ()
    result = said(command, target, *words, *sign)
    assert (result.exit_code, why in result.output, out.exists()) == (2, True, False)


INTERRUPTED = """
import signal
from conformance.runs.processes.judging_process import JudgingProcess

begin = JudgingProcess.__init__


def interrupted(self, *words, quiet):
    signal.raise_signal(signal.SIGINT)
    begin(self, *words, quiet=quiet)


JudgingProcess.__init__ = interrupted
"""
"""Ctrl-C just before the run begins."""


def test_interrupted_run_signs_no_certificate_that_it_found(issued: Path, keys: Path, tmp_path: Path) -> None:
    """Somebody else's certificate in its directory has no signature of the owner of the key."""
    out = tmp_path / "other" / "out"
    out.mkdir(parents=True)
    shutil.copy(issued, out)
    words = (*SMALL, "--certify", "--sign", str(keys / "own.pem"))
    ran = run(out.parent, *words, env=running_first(tmp_path, INTERRUPTED))
    assert (ran.code, "interrupted before anything was sent" in ran.output) == (3, True)
    assert [path.name for path in out.glob("certificate*")] == ["certificate.json"]


def test_signature_needs_a_certificate(tmp_path: Path, keys: Path) -> None:
    """Without --certify there is nothing to sign."""
    result = said("run", "--sign", str(keys / "own.pem"), "--out", str(tmp_path))
    assert "--sign goes with --certify" in result.output


def test_certificate_needs_a_product(tmp_path: Path) -> None:
    """A profile that does not name the product gets no certificate, and is told so before it is asked."""
    ran = run(tmp_path, "--base-url", "http://127.0.0.1:1", *FRIDGE, "--certify")
    assert (ran.code, "target.product: is not there" in ran.output) == (2, True)


def test_failing_target_gets_none(tmp_path: Path) -> None:
    """A mutant gets no certificate, and an older one in the same place goes, with its attestation."""
    (tmp_path / "out").mkdir()
    for name in ("certificate.json", "certificate.intoto.jsonl"):
        (tmp_path / "out" / name).write_text("{}", encoding="utf-8")
    ran = run(tmp_path, "mutant:any-ha-id", "--level", "read", "--certify")
    assert (ran.code, list(ran.out.glob("certificate.*"))) == (1, [])
    assert "no certificate: the target does not conform" in ran.output


def test_part_of_the_cases_gets_none(tmp_path: Path) -> None:
    """Where only some cases are selected there is no certificate."""
    ran = run(tmp_path, *SMALL, "--certify", "--", "-k", "TYPE")
    assert (ran.code, (ran.out / "certificate.json").exists()) == (3, False)
    assert ran.results["refused"] == ["only some of the cases were judged"]


def test_run_that_was_cut_off_is_no_pass(tmp_path: Path) -> None:
    """A ledger without its last line is that of a killed run: what is there is judged, and no more."""
    whole = run(tmp_path, *SMALL, "--", "-k", "TYPE")
    lines = (whole.out / "evidence.ndjson").read_text(encoding="utf-8").splitlines()
    (tmp_path / "cut.ndjson").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    again = judged_again(tmp_path / "cut.ndjson", tmp_path / "again", "--", "-k", "TYPE")
    assert (whole.code, again.code, again.results["verdict"]) == (0, 3, "inconclusive")
    assert again.results["cases"] == whole.results["cases"]


def test_what_a_ledger_lacks_is_inconclusive(tmp_path: Path) -> None:
    """What a run did not ask is inconclusive in its ledger: it neither passes, fails nor lacks a subject."""
    part = run(tmp_path, *SMALL, "--", "-k", "ChildLock")
    again = judged_again(part.out / "evidence.ndjson", tmp_path / "again")
    cases = [case for case in again.results["cases"] if case["ha_id"] == "oven-1"]
    assert (part.code, again.code) == (0, 3)
    assert {case["verdict"] for case in cases if "AlarmClock" in case["key"]} == {"inconclusive"}
    assert "not_applicable" not in {case["verdict"] for case in cases}


def test_part_of_a_run_lacks_no_more_subjects(tmp_path: Path) -> None:
    """A key that is not served is not applicable, though keys beside which it would show were not asked."""
    part = run(
        tmp_path, "reference", "--level", "read", "--", "-k", "TYPE-BOOLEAN and SabbathMode and fridge-2"
    )
    assert [case["verdict"] for case in part.results["cases"]] == ["not_applicable"]
