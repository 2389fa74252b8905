"""Whole runs against servers that are down, closed, confused or err: nothing crashes, nobody is blamed."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.harness.ledger import read_ledger
from conformance.proof.in_process import BASE_URL
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import run_of


def saying(
    status: int, body: bytes = b"", media: str | None = "application/json", **headers: str
) -> Callable[[Incoming], Reply]:
    """One answer to everything."""
    return lambda _request: Reply(
        status, body, media, {name.replace("_", "-"): text for name, text in headers.items()}
    )


def page(request: Incoming) -> Reply:
    """A page for people, which differs from path to path."""
    text = f"<!doctype html><title>Sign in</title><p>Request 4711 of {request.path} at 12:00"
    return Reply(200, text.encode(), "text/html; charset=utf-8")


FEW = {"generated_reads": 30}
"""The pace of the runs: what each of them shows shows in few generated requests."""
SILENT: set[str] = set()
SAME = {"ADDR-BASE"}
BROKEN = {"ADDR-BASE", "ADDR-SEG-STATUS", "READ-SETTING", "READ-STATUS", "READ-VALUE"} | {
    clause for clause in CATALOG.clauses if "PATH-" in clause
}
ANYTHING = {"ADDR-BASE", "ADDR-UNKNOWNKEY", "ADDR-HAID"}
"""What a target may be blamed for that is claimed to serve everything: nothing, being nowhere, serving
nothing, serving anything.
"""
EVERYTHING: dict[str, tuple[Callable[[Incoming], Reply], set[str]]] = {
    "access refused": (saying(401, b'{"error": "no"}'), SILENT),
    "server errors": (saying(500, b"<html>", "text/html"), SILENT),
    "a redirect to a version that redirects": (saying(307, Location="/api/v2/homeappliances"), SILENT),
    "a page": (page, SAME),
    "not found": (saying(404), SAME),
    "an empty object": (saying(200, b"{}"), BROKEN),
    "nothing": (saying(200), BROKEN),
    "no content": (saying(204), BROKEN),
    "one number": (saying(200, b"5"), ANYTHING),
    "NaN": (saying(200, b'{"data": {"value": NaN}}'), ANYTHING),
}


def verdicts_of(
    service: Service,
    path: Path,
    knowledge: Knowledge = "full",
    *,
    pace: Mapping[str, int] = FEW,
    base_url: str = BASE_URL,
    **tables: object,
) -> dict[str, list[str]]:
    """The findings of a run by verdict; the profile is the reference's, of its hood and its robot."""
    data: dict[str, Any] = truthful_profile(Service(), base_url, knowledge=knowledge)
    own = [table for table in data["appliance"] if table["ha_id"] in {"hood-1", "robot-3"}]
    tables |= {"pace": {**FEW, **pace}, "appliance": own}
    ran = run_of(service, path, "read", tables, knowledge=knowledge, base_url=base_url)
    found: dict[str, list[str]] = {}
    for name, (verdict, message) in ran.verdicts.items():
        found.setdefault(verdict, []).append(f"{name} {message}")
    assert read_ledger(path / LEDGER_FILE)[2]
    return found


def clauses(findings: list[str]) -> set[str]:
    """The clauses that some findings are about."""
    return {finding.partition("::")[0] for finding in findings}


class OneAnswer(Service):
    """Answers every request alike."""

    reply: Callable[[Incoming], Reply]

    def answer(self, request: Incoming) -> Reply:
        return self.reply(request)


ROWS: list[tuple[str, Knowledge]] = [
    *((name, "full") for name in EVERYTHING),
    *((name, "L0") for name in list(EVERYTHING)[::5]),
]


@pytest.mark.parametrize(("name", "knowledge"), ROWS)
def test_one_answer_to_everything(tmp_path: Path, name: str, knowledge: Knowledge) -> None:
    """A server that answers everything alike gets no finding but that it does, and no error."""
    service = OneAnswer()
    service.reply, reply = EVERYTHING[name]
    blame = reply if knowledge == "full" or reply is ANYTHING else SILENT
    found = verdicts_of(service, tmp_path, knowledge)
    assert found.get("error", []) == []
    assert clauses(found.get("fail", [])) <= blame
    assert clauses(found.get("pass", [])) <= (
        {"ADDR-BASE", "ADDR-UNVERSIONED"} if blame is ANYTHING else set()
    )


def test_server_that_is_down(tmp_path: Path) -> None:
    """Nothing passes and nothing fails where nobody listens."""
    with serve({"": Service()}) as base_url:
        pass
    found = verdicts_of(Service(), tmp_path, base_url=base_url)
    assert set(found) <= {"inconclusive", "not_applicable", "observed"}
    assert "refused" in found["inconclusive"][0]


class Shared(Service):
    """Two appliances behind one haId, which answer in turn."""

    turn: Iterator[bool] = iter(())

    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        if found and next(self.turn):
            return next(each for each in self.appliances.values() if each is not found)
        return found


@pytest.mark.parametrize("width", [1, 16])
def test_two_appliances_in_turn(tmp_path: Path, width: int) -> None:
    """Two appliances behind one haId are at most a matter of repeatable reading, if nothing is claimed."""
    service = Shared()
    service.turn = itertools.cycle([False, True])
    found = verdicts_of(service, tmp_path, "L0", pace={"concurrency": width})
    assert found.get("error", []) == []
    assert clauses(found.get("fail", [])) <= {"READ-SAFE", "PATH-AGREE"}


class Recovering(Service):
    """The reference, which is not itself for some requests and also serves everything under a version."""

    refusal = 409
    before: Iterator[bool] = iter(())

    def answer(self, request: Incoming) -> Reply:
        if next(self.before):
            return Reply(self.refusal)
        return super().answer(replace(request, path=request.path.replace("/api/v1/", "/api/")))


@pytest.mark.parametrize(("refused", "status"), [(20, 409), (43, 500), (49, 200)])
def test_server_that_recovers(tmp_path: Path, refused: int, status: int) -> None:
    """A server that comes back in the middle of a run is not blamed for what it did not serve before."""
    service = Recovering()
    service.refusal, service.before = status, iter([*[True] * refused, *[False] * 10_000])
    found = verdicts_of(service, tmp_path, pace={"concurrency": 1})
    assert "error" not in found
    assert found.get("fail", []) == []


def test_day_that_ends_in_the_middle(tmp_path: Path) -> None:
    """What was read before the budget ran out is judged, the rest is inconclusive and says so."""
    found = verdicts_of(Service(), tmp_path, pace={"per_day": 30})
    assert "error" not in found
    assert "fail" not in found
    assert found["pass"]
    assert all("pace.per_day" in finding for finding in found["inconclusive"])


def test_token_that_is_not_granted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a token nothing is asked and nothing is judged, and every finding says why."""
    monkeypatch.setenv("SECRET", "very secret")
    oauth2 = {"token_url": f"{BASE_URL}/nowhere", "client_id": "me", "client_secret": "${SECRET}"}
    found = verdicts_of(Service(), tmp_path, auth={"oauth2": oauth2})
    assert set(found) <= {"inconclusive", "not_applicable", "observed"}
    assert all("auth.oauth2.token_url" in finding for finding in found["inconclusive"])
    assert b"very secret" not in b"".join(file.read_bytes() for file in tmp_path.iterdir())
