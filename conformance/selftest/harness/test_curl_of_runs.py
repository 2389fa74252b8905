"""The curl line of an exchange brings the status and the body of the ledger, for servers of many kinds.

The clock of the servers stands, so nothing in a body has to be masked but the secrets, which a ledger never
holds.
"""

import gzip
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest
from msgspec.structs import replace

from catalog.keys import LOCAL_CONTROL
from catalog.model import Entry, Level
from conformance.cases import CATALOG
from conformance.checks.exchange import JUDGED, Exchange
from conformance.harness.curl import curl_of
from conformance.harness.ledger import LEDGER_FILE, read_ledger
from conformance.harness.wire.redaction import Redactor
from conformance.mutants.registry import find_server
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.reference.appliance import Appliance
from conformance.reference.clock import Clock
from conformance.reference.fleets.cleaning import WASHER
from conformance.reference.profile import TOKEN_VARIABLE, truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import STILL, begin

TOKEN = 'it\'s $HOME "&" `so on`'
LEAST, MOST = 10, 16
"""Lines executed of one run that reads."""
FEW = {"generated": 3, "generated_reads": 20, "generated_writes": 12}
"""So many draws have every method, and numbers and texts of every kind."""


class Washer(Service):
    """The reference with one appliance."""

    fleet: ClassVar[Any] = (WASHER,)


class Odd(Service):
    """Its identifiers need quoting, by a URL, a shell and curl, and its maker is called otherwise."""

    fleet: ClassVar[Any] = (
        replace(WASHER, ha_id="[a-b]{c,d} %41'\"$HOME"),
        replace(WASHER, ha_id="ä/../?x=1;#&y"),
    )


class Wide(Service):
    """Takes numbers beyond their range, so that a run has something to put back."""

    fleet: ClassVar[Any] = (WASHER.only("LaundryCare.Washer.Setting.Dosing1BaseLevel", LOCAL_CONTROL),)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        del appliance, entry, value
        return True


class Packed(Washer):
    """Packs every answer, whether that is accepted or not."""

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        return replace(
            reply,
            body=gzip.compress(reply.body, mtime=0),
            headers={**reply.headers, "Content-Encoding": "gzip"},
        )


class Issuing(Washer):
    """Wants a token that it grants itself."""

    def handle(self, request: Incoming) -> Reply:
        if request.path == "/token":
            return Reply(200, json.dumps({"access_token": TOKEN}).encode())
        return super().handle(request)


@dataclass
class Kind:
    """A server and what its profile says beside the truth; `{url}` is where it is."""

    service: type[Service]
    tables: dict[str, Any] = field(default_factory=dict[str, Any])
    token: str | None = None
    prefix: str = ""


OAUTH2 = {"token_url": "{url}/token", "client_id": "me", "client_secret": f"${{{TOKEN_VARIABLE}}}"}
KINDS: dict[str, Kind] = {
    "below a path with a token and odd identifiers": Kind(Odd, token=TOKEN, prefix="hub/of[all]"),
    "with a token of an issuer": Kind(Issuing, {"auth": {"oauth2": OAUTH2}}, token=TOKEN),
    "packed": Kind(Packed),
    "followed where it redirects": Kind(
        find_server("redirects-to-slash"), {"http": {"follow_redirects": True}}
    ),
    "not followed where it redirects": Kind(find_server("redirects-to-v2")),
    "dropping connections": Kind(find_server("setting-drops-the-connection")),
    "wanting a query": Kind(find_server("language-needed")),
}


def brought(line: str, variable: str) -> tuple[int, bytes]:
    """The status and the body of what sh makes of a line; the status 0 where curl ends with an error."""
    environment = {"PATH": os.environ["PATH"], variable: TOKEN}
    ended = subprocess.run(
        ["sh", "-c", line], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False
    )
    head, _, body = ended.stdout.partition(b"\r\n\r\n")
    return (0, b"") if ended.returncode else (int(head.split()[1]), Redactor({variable: TOKEN}).body(body))


def kept(exchange: Exchange) -> tuple[int, bytes]:
    """The same of the ledger."""
    return (exchange.response.status, exchange.response.body) if exchange.response else (0, b"")


def sample(exchanges: list[Exchange]) -> list[Exchange]:
    """Some of each sort: by what it was for, its segment, its status and what was sent."""
    sorts: dict[object, list[Exchange]] = {}
    for exchange in exchanges:
        group = exchange.group and exchange.group.kind
        sorts.setdefault(
            (exchange.purpose, group, exchange.segment, kept(exchange)[0], exchange.request.body), []
        ).append(exchange)
    rounds = max(map(len, sorts.values()))
    return [found[number] for number in range(rounds) for found in sorts.values() if number < len(found)][
        :MOST
    ]


def made(profile: Profile, out: Path, level: Level) -> list[Exchange]:
    """The exchanges of a whole run."""
    with closing(Session(profile, out, level)) as session:
        begin(session)
        session.write()
        session.finish()
    return [exchange for exchange in read_ledger(out / LEDGER_FILE).exchanges if exchange.purpose in JUDGED]


def again(kind: Kind, out: Path) -> dict[str, tuple[Exchange, tuple[int, bytes]]]:
    """Some lines of a run that reads, each with its exchange and with what it brings, several at once."""
    service = kind.service(clock=Clock(running=False), token=kind.token)
    variable = "ACCESS_TOKEN" if "auth" in kind.tables else TOKEN_VARIABLE
    with serve({kind.prefix: service}) as url, ThreadPoolExecutor(4) as pool:
        tables = json.loads(json.dumps(kind.tables).replace("{url}", url))
        profile = build_profile(
            truthful_profile(service, f"{url}/{kind.prefix}") | {"pace": STILL} | tables, CATALOG
        )
        lines = {curl_of(exchange, profile): exchange for exchange in sample(made(profile, out, "read"))}
        answers = pool.map(partial(brought, variable=variable), lines)
        return dict(zip(lines, zip(lines.values(), answers, strict=True), strict=True))


@pytest.mark.parametrize("name", KINDS)
def test_line_brings_what_the_run_was_given(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of each sort of request a few are made again, by curl: with the same status and the same body."""
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    found = again(KINDS[name], tmp_path)
    assert {line: answer for line, (_, answer) in found.items()} == {
        line: kept(exchange) for line, (exchange, _) in found.items()
    }
    assert len(found) > LEAST


def test_lines_of_a_run_that_writes_make_it_again(tmp_path: Path) -> None:
    """All lines of a ledger, one after another against the server newly started."""
    with serve({"": Wide(clock=Clock(running=False))}) as url:
        profile = build_profile(truthful_profile(Wide(), url) | {"pace": FEW}, CATALOG)
        exchanges = made(profile, tmp_path, "attended")
    with serve({"": Wide(clock=Clock(running=False))}, int(url.rpartition(":")[2])):
        for exchange in exchanges:
            line = curl_of(exchange, profile)
            assert brought(line, TOKEN_VARIABLE) == kept(exchange), line
    purposes = {exchange.purpose for exchange in exchanges}
    assert purposes >= {"read", "control", "repeat", "list", "generated", "write", "restore", "hook"}
    assert {exchange.request.method for exchange in exchanges} == {"GET", "HEAD", "OPTIONS", "POST", "PUT"}
