"""A signed certificate, made once for the modules that alter, verify or replace it."""

import shutil
from pathlib import Path

import pytest

from conformance.selftest.support.commands import PRIVATE, command, running_first
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.signed import SMALL, openssl


@pytest.fixture(scope="session")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two key pairs as openssl makes them, and a key of another kind."""
    directory = tmp_path_factory.mktemp("keys")
    for name, algorithm in (("own", "ed25519"), ("other", "ed25519"), ("x", "x25519")):
        private, public = str(directory / f"{name}.pem"), str(directory / f"{name}.pub")
        openssl("genpkey", "-algorithm", algorithm, "-out", private)
        openssl("pkey", "-in", private, "-pubout", "-out", public)
    return directory


@pytest.fixture(scope="session")
def certified(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Ran:
    """A run of a server of one appliance with a signed certificate, which nobody else is to read."""
    here = tmp_path_factory.mktemp("certified")
    words = ("run", *SMALL, "--certify", "--sign", str(keys / "own.pem"))
    return command(*words, directory=here, env=running_first(here, PRIVATE))


@pytest.fixture
def issued(certified: Ran, tmp_path: Path) -> Path:
    """A copy of the certificate, its attestation and its ledger, to be altered."""
    for name in ("certificate.json", "certificate.intoto.jsonl", "evidence.ndjson"):
        shutil.copy(certified.out / name, tmp_path)
    return tmp_path / "certificate.json"
