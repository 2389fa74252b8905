"""Whatever ends a procedure, the end of the day, Ctrl-C: what it wrote is put back, or said not to be."""

from pathlib import Path

import httpx
import pytest

from catalog.keys import AMBIENT_ENABLED, CHILD_LOCK, OFF, POWER_STATE
from conformance.harness.errors import TransportError
from conformance.harness.wire.connections import Connections
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.transport import Transport
from conformance.harness.writes import write_runner
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import STILL, begin, run_of, session_of
from conformance.selftest.support.owed_journals import lines_of
from conformance.selftest.support.samples.handmade import write_table
from conformance.selftest.support.servers.recording import Small


@pytest.mark.parametrize("budget", range(86, 116))
def test_end_of_the_day_is_no_obstacle(budget: int, tmp_path: Path) -> None:
    """Where the day's requests run out within writes or tours, enough are left to put all back."""
    service = Small()
    pace = {**STILL, "generated": 60, "concurrency": 1, "per_day": budget}
    ran = run_of(service, tmp_path, "power", {"pace": pace})
    assert budget - 12 < len(service.requests) <= budget
    assert (service.settings(), ran.left, ran.errors()) == (Small().settings(), [], set())
    assert {line["restored"] for line in ran.journal if "restored" in line} == {True}


@pytest.mark.parametrize("granted", [1, 2, 9])
def test_what_cannot_even_be_tried_is_said(
    granted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where no access token is granted any more, the run says what it could not put back, and ends."""
    sent: list[str] = []
    send = Transport.send

    def until_then(
        self: Transport, wanted: Wanted, *, permit: int | None = None, made: list[Sent] | None = None
    ) -> list[Sent]:
        if len(sent) >= granted:
            raise TransportError("no access token")
        if permit is not None:
            sent.append(wanted.path)
        return send(self, wanted, permit=permit, made=made)

    monkeypatch.setattr(Transport, "send", until_then)
    service = Small()
    ran = run_of(
        service,
        tmp_path,
        "power",
        {"write": write_table("*", CHILD_LOCK), "pace": {**STILL, "concurrency": 1}},
    )
    place = (sent[-1].split("/")[3], sent[-1].rpartition("/")[2])
    left = [line.partition(" was ")[0] for line in ran.left]  # with what was written together with it
    assert f"not restored: {place[0]} {place[1].rpartition('.')[2]}" in left
    last = [
        line["restored"]
        for line in ran.journal
        if "restored" in line and (line["ha_id"], line["key"]) == place
    ][-1]
    told = [f"not restored: {left['words']}" for left in ran.evidence[-1]["not_restored"]]
    assert (last, ran.journal[-1]["end"], told) == (False, True, ran.left)


@pytest.mark.parametrize("concurrency", [1, 2])
def test_interruption_takes_no_connection_away(
    concurrency: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C when an answer has come that nobody holds yet: putting back does not wait for its connection."""
    handle, struck = Connections.handle_request, list[None]()

    def striking(self: Connections, request: httpx.Request) -> httpx.Response:
        response = handle(self, request)
        if request.method == "PUT" and not struck:
            struck.append(None)
            monkeypatch.setattr(
                write_runner, "lost", response, raising=False
            )  # a frame that is unwound keeps it for a while, too
            raise KeyboardInterrupt
        return response

    monkeypatch.setattr(Connections, "handle_request", striking)
    service = Small()
    tables = {"pace": {**STILL, "concurrency": concurrency}, "http": {"timeout_s": 0.2}}
    with (
        serve({"": service}) as base_url,
        session_of(service, tmp_path, "power", tables, base_url=base_url) as session,
    ):
        begin(session)
        with pytest.raises(KeyboardInterrupt):
            session.write()
        assert (session.finish(), service.settings()) == ([], Small().settings())
    assert "no response" not in {line.get("outcome") for line in lines_of(tmp_path / JOURNAL_FILE)}


class Hiding(Service):
    """Hides its light once its lock was unlocked again, until the light is written; or goes off with that."""

    fleet = (DISHWASHER.only(POWER_STATE, CHILD_LOCK, AMBIENT_ENABLED),)
    goes_off = False
    hidden = False

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        self.hidden = key == CHILD_LOCK and value is False
        if self.goes_off and self.hidden:
            appliance.values[POWER_STATE] = OFF

    def value(self, appliance: Appliance, key: str) -> Json:
        return None if key == AMBIENT_ENABLED and self.hidden else super().value(appliance, key)


@pytest.mark.parametrize(("goes_off", "back"), [(False, [True]), (True, [])])
def test_setting_without_a_value_at_last_is_put_back(
    *, goes_off: bool, back: list[bool], tmp_path: Path
) -> None:
    """It is written as it was first; where the appliance is off, it may be hidden, and nothing is written."""
    service = type("Hiding", (Hiding,), {"goes_off": goes_off})()
    allowed = (CHILD_LOCK, AMBIENT_ENABLED)
    run = run_of(service, tmp_path, "write", {"write": write_table(*allowed)}, clauses={"SET-WRITABLE"})
    changed = [line for line in run.journal if line.get("changed") and line["key"] == AMBIENT_ENABLED]
    assert [line["restored"] for line in changed] == back
