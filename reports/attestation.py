"""The attestation of a certificate, which tools of other people verify: an in-toto statement, signed by DSSE.

The statement (https://in-toto.io/Statement/v1) is about the certificate, its ledger, and the target as its
profile describes it; its predicate is test-result v0.1, whose tests are the clauses. All of it follows from
the certificate, so that a reader of either reads the same.

The keys are PEM files: `openssl genpkey -algorithm ed25519` makes the private one, `openssl pkey -pubout` the
public one. An envelope without a signature is none, so that there is one with a key alone. The library is an
extra of the distribution, `sign`: in a checkout, `.venv/bin/pip install '.[sign]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from msgspec import Struct, convert
from msgspec.json import encode

from conformance.files.foreign_files import KEY, parse_object, read_bytes
from conformance.files.text_files import write_bytes
from conformance.records.certificates import Certificate
from conformance.records.ledger_lines import LEDGER_FILE
from reports.certificate import ATTESTATION_FILE, CERTIFICATE_FILE, digest_file, read_certificate

if TYPE_CHECKING:
    from securesystemslib.signer import CryptoSigner  # pyright: ignore[reportPrivateImportUsage]  documented

_PAYLOAD_TYPE: Final = "application/vnd.in-toto+json"
_STATEMENT_TYPE: Final = "https://in-toto.io/Statement/v1"
_PREDICATE_TYPE: Final = "https://in-toto.io/attestation/test-result/v0.1"
_TESTS: Final = {"passedTests": "pass", "warnedTests": "inconclusive", "failedTests": "fail"}
"""The lists of the predicate, each with the verdict of the clauses that it names."""
_Key = TypeVar("_Key")


class SigningError(Exception):
    """A key or an attestation that cannot be used, or the library for them is not installed."""


class _Signature(Struct):
    keyid: str
    sig: bytes


class _Envelope(Struct, rename="camel"):
    """An envelope of DSSE 1.0, whose bytes are base64 in JSON."""

    payload: bytes
    payload_type: str
    signatures: list[_Signature]


def attestation_of(certificate: Path) -> Path:
    """The file of a certificate's attestation, beside it."""
    return certificate.with_name(ATTESTATION_FILE)


def statement_of(path: Path, certificate: Certificate) -> dict[str, Any]:
    """The statement that is attested of a certificate, which stands in the file `path`."""
    product, digests = certificate.product, certificate.digests
    of_profile = digests.get("profile", "")
    verdicts = [(clause.verdict, clause.id) for clause in certificate.clauses]
    return {
        "_type": _STATEMENT_TYPE,
        "subject": [
            _descriptor(CERTIFICATE_FILE, digest_file(path)),
            _descriptor(LEDGER_FILE, digests.get("ledger", "")),
            {**_descriptor(product.name, of_profile), "uri": product.base_url},
        ],
        "predicateType": _PREDICATE_TYPE,
        "predicate": {
            "result": "PASSED" if certificate.verdict == "conforms" else "WARNED",
            "configuration": [
                _descriptor(name, sha256) for name, sha256 in digests.items() if name != "ledger"
            ],
            **{tests: [name for verdict, name in verdicts if verdict == of] for tests, of in _TESTS.items()},
        },
    }


def load_signer(path: Path) -> CryptoSigner:
    """What signs with a private key without a password.

    Raises:
        SigningError: The file is not such a key, or the library is missing.
    """
    with _library():
        from cryptography.hazmat.primitives.serialization import load_pem_private_key
        from securesystemslib.signer import CryptoSigner  # pyright: ignore[reportPrivateImportUsage]  documented

        what = "private key in PEM without a password"
        return _loaded(path, lambda pem: CryptoSigner(load_pem_private_key(pem, password=None)), what)


def attest(certificate: Path, signer: CryptoSigner) -> Path:
    """Writes the signed attestation of a certificate beside it, and returns its path."""
    from securesystemslib.dsse import Envelope

    payload = encode(statement_of(certificate, read_certificate(certificate)))
    made = Envelope(payload, _PAYLOAD_TYPE, {}).sign(signer)
    path = attestation_of(certificate)
    signature = _Signature(made.keyid, bytes.fromhex(made.signature))
    write_bytes(path, [encode(_Envelope(payload, _PAYLOAD_TYPE, [signature])), b"\n"])
    return path


def attested(certificate: Path) -> dict[str, Any]:
    """The statement in the attestation beside a certificate, whoever has signed it.

    Raises:
        SigningError: There is none, or it cannot be read.
    """
    path = attestation_of(certificate)
    try:
        return parse_object(_envelope(path).payload)
    except ValueError as error:
        raise SigningError(f"{path}: no statement: {error}") from error


def is_signed(certificate: Path, public_key: Path) -> bool:
    """Whether the attestation beside a certificate was signed with the private key of `public_key`.

    Raises:
        SigningError: There is no attestation, the file is not a public key, or the library is missing.
    """
    with _library():
        from cryptography.hazmat.primitives.serialization import load_pem_public_key
        from securesystemslib.dsse import Envelope
        from securesystemslib.exceptions import VerificationError
        from securesystemslib.signer import Signature, SSlibKey  # pyright: ignore[reportPrivateImportUsage]  documented

        read = load_pem_public_key
        key = _loaded(public_key, lambda pem: SSlibKey.from_crypto(read(pem)), "public key in PEM")
        read_one = _envelope(attestation_of(certificate))
        signatures = {one.keyid: Signature(one.keyid, one.sig.hex()) for one in read_one.signatures}
        try:
            Envelope(read_one.payload, read_one.payload_type, signatures).verify([key], 1)
        except VerificationError:
            return False
        return read_one.payload_type == _PAYLOAD_TYPE


def _descriptor(name: str, sha256: str) -> dict[str, Any]:
    """What in-toto calls a ResourceDescriptor."""
    return {"name": name, "digest": {"sha256": sha256}}


def _envelope(path: Path) -> _Envelope:
    try:
        return convert(parse_object(read_bytes(path, KEY)), _Envelope)
    except OSError as error:
        raise SigningError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise SigningError(f"{path}: no envelope of DSSE: {error}") from error


@contextmanager
def _library() -> Generator[None]:
    """Turns a missing library into an error that says how to get it."""
    try:
        yield
    except ImportError as error:
        needed = "signatures need the extra `sign`: pip install 'securesystemslib[crypto]'"
        raise SigningError(needed) from error


def _loaded(path: Path, load: Callable[[bytes], _Key], what: str) -> _Key:
    """What `load` makes of the key in a file."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load(read_bytes(path, KEY))
    except OSError as error:
        raise SigningError(f"{path}: {error.strerror}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SigningError(f"{path}: not a {what}, of a kind that signs") from error
