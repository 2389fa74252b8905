"""Detached signatures of a certificate: Ed25519 (RFC 8032) over the bytes of the file, as openssl makes them.

The keys are PEM files: `openssl genpkey -algorithm ed25519` makes the private one, `openssl pkey -pubout` the
public one. The library is an extra of the distribution, `sign`: in a checkout, `.venv/bin/pip install
'.[sign]'`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.files.foreign_files import CERTIFICATE, KEY, read_bytes
from conformance.files.text_files import write_bytes
from reports.certificate import SIGNATURE_SUFFIX

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


class SigningError(Exception):
    """A key or a signature file that cannot be used, or the library for them is not installed."""


def signature_of(certificate: Path) -> Path:
    """The file of a certificate's signature, beside it."""
    return certificate.with_name(certificate.name + SIGNATURE_SUFFIX)


def load_private_key(path: Path) -> Ed25519PrivateKey:
    """A private key without a password.

    Raises:
        SigningError: The file is not such a key, or the library is missing.
    """
    with _library():
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        what = "private key in PEM without a password"
        key = _loaded(path, lambda pem: load_pem_private_key(pem, password=None), what)
        if not isinstance(key, Ed25519PrivateKey):
            raise SigningError(f"{path}: not an Ed25519 key")
        return key


def sign(certificate: Path, key: Ed25519PrivateKey) -> Path:
    """Writes the signature of a certificate, 64 bytes, beside it, and returns its path."""
    path = signature_of(certificate)
    write_bytes(path, [key.sign(certificate.read_bytes())])
    return path


def is_signed(certificate: Path, public_key: Path) -> bool:
    """Whether the signature beside a certificate was made with the private key of `public_key`.

    Raises:
        SigningError: There is no signature, the file is not a public key, or the library is missing.
    """
    with _library():
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key

        key = _loaded(public_key, load_pem_public_key, "public key in PEM")
        if not isinstance(key, Ed25519PublicKey):
            raise SigningError(f"{public_key}: not an Ed25519 key")
        try:
            key.verify(read_bytes(signature_of(certificate), KEY), read_bytes(certificate, CERTIFICATE))
        except OSError as error:
            raise SigningError(f"{error.filename}: {error.strerror}") from error
        except InvalidSignature:
            return False
        return True


@contextmanager
def _library() -> Generator[None]:
    """Turns a missing library into an error that says how to get it."""
    try:
        yield
    except ImportError as error:
        raise SigningError("signatures need the extra `sign`: pip install cryptography") from error


def _loaded(path: Path, load: Callable[[bytes], object], what: str) -> object:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load(read_bytes(path, KEY))
    except OSError as error:
        raise SigningError(f"{path}: {error.strerror}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise SigningError(f"{path}: not a {what}") from error
