"""What is fuzzed: each reader takes bytes, and raises only where the code that it calls breaks its word."""

import json
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from conformance.checks.exchange import Response
from conformance.harness.answers.decoding import lexical
from conformance.harness.errors import LedgerError
from conformance.harness.ledger import read_ledger
from conformance.harness.observing import Observations
from conformance.profiles.fields import ProfileError
from conformance.profiles.validation import build_profile, digest_profile, dump_profile
from conformance.selftest.support.handmade import exchange, profile_of
from conformance.selftest.support.ledgers import rechained

KEY = "Vendor.Common.Setting.ChildLock"
ENVIRONMENT = {"TOKEN": "open sesame", "SECRET": "very secret"}
GUESSING = profile_of(answer={})
DECLARED = profile_of(
    http={
        "not_supported": [{"status": 200, "pointer": "/a", "equals": 1}],
        "limits": {"members": 20, "depth": 5},
    }
)


def read_answer(data: bytes) -> None:
    """An answer: a line of status and media type, then the body; classified with and without a pointer."""
    head, _, body = data.partition(b"\n")
    number, _, media_type = head.decode("latin-1").partition(" ")
    status = int(number) if number.isascii() and number.isdigit() and len(number) == 3 else 200
    made = replace(exchange(KEY), n=1, response=Response(status, (("Content-Type", media_type),), body, 1.0))
    for profile in (GUESSING, DECLARED):
        answer = Observations(profile, [made]).answer(made)
        assert answer.words
        lexical(body, answer.value)


def read_lines(data: bytes) -> None:
    """A ledger; lines that are JSON objects are given the hashes, numbers and seals that they need."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "evidence.ndjson"
        for text in (data, _chained(data).encode()):
            path.write_bytes(text)
            with suppress(LedgerError):
                read_ledger(path)


def _chained(data: bytes) -> str:
    lines: list[dict[str, Any]] = []
    for raw in data.split(b"\n"):
        line: object = None
        with suppress(ValueError, RecursionError):
            line = json.loads(raw)
        if isinstance(line, dict):
            lines.append(cast("dict[str, Any]", line) | {"n": len(lines)})
    return rechained(lines)


def read_profile(data: bytes) -> None:
    """A profile: TOML in UTF-8; one without a mistake says the same when written and read again."""
    try:
        table = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return
    with suppress(ProfileError):
        profile = build_profile(table, environment=ENVIRONMENT)
        again = build_profile(dump_profile(profile), environment=ENVIRONMENT)
        assert digest_profile(again) == digest_profile(profile)


READERS: dict[str, Callable[[bytes], None]] = {
    "decoder": read_answer,
    "ledger": read_lines,
    "profile": read_profile,
}
