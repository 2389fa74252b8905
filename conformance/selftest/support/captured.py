"""Captures as browsers, proxies and people write them: made of a few answers, or of what a client does."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from catalog.keys import (
    CHILD_LOCK,
    COOLING_MODES,
    FRIDGE_SABBATH,
    LOCAL_CONTROL,
    OFF,
    ON,
    OPERATION_STATE,
    POWER_STATE,
    REMOTE_CONTROL,
)
from conformance.captures.taking import take
from conformance.cases import all_cases, check_of
from conformance.profiles.validation import build_profile
from conformance.reference.clock import Clock
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming
from conformance.runs.observed_run import observed
from conformance.runs.saved.saved_run import SavedRun

BASE = "https://hub.example/v1"
SECRET = "s3cr3t-of-a-person"
IDENTITY = "1.0", "c" * 64, "d" * 64
"""The suite, its catalog and its judging, as a ledger names them."""
_BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC)
_HEADERS = [
    {"name": "Authorization", "value": f"Bearer {SECRET}"},
    {"name": "Cookie", "value": f"session={SECRET}-of-cookie"},
    {"name": "Accept", "value": "application/json"},
]


def url_of(key: str, segment: str = "settings", ha_id: str = "fridge-1") -> str:
    """The address of a key."""
    return f"{BASE}/api/homeappliances/{ha_id}/{segment}/{key}"


def entry(url: str, value: object, at_s: float, *, status: int = 200, **more: Any) -> dict[str, Any]:
    """An entry of HAR: a GET that was answered with a value so many seconds after the first."""
    text = json.dumps({"data": {"value": value}})
    return {
        "startedDateTime": (_BEGIN + timedelta(seconds=at_s)).isoformat(),
        "time": 12.5,
        "request": {"method": "GET", "url": url, "headers": _HEADERS},
        "response": {
            "status": status,
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "content": {"size": len(text), "text": text},
        },
        **more,
    }


def write(url: str, value: object, at_s: float) -> dict[str, Any]:
    """An entry of HAR: a PUT of a value."""
    sent: dict[str, Any] = {
        "method": "PUT",
        "url": url,
        "headers": [],
        "postData": {"text": json.dumps({"data": {"value": value}})},
    }
    return entry(url, value, at_s, request=sent)


def har(path: Path, entries: Sequence[Mapping[str, Any]]) -> Path:
    """A HAR file."""
    log = {"version": "1.2", "creator": {"name": "a proxy", "version": "1"}, "entries": entries}
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    return path


def judged_capture(
    directory: Path, known: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], only: str = ""
) -> dict[str, tuple[str, str]]:
    """Verdict and message of each case (`CLAUSE::key`) of a capture, by a profile; or of the one named."""
    profile, ledger = build_profile(known), directory / "seen.ndjson"
    take([har(directory / "x.har", entries)], profile, ledger, IDENTITY)
    session = observed(SavedRun(ledger))
    cases = all_cases(session.profile, "seen")
    chosen = [case for case in cases if not only or case.id.partition("@")[0] == only]
    told = [session.judge(case, check_of(case)) for case in chosen]
    return {one.case.id.partition("@")[0]: (one.verdict, one.message) for one in told}


def lines(path: Path, entries: Iterable[Mapping[str, Any]]) -> Path:
    """The same exchanges as NDJSON."""
    path.write_text("".join(f"{json.dumps(_line(one))}\n" for one in entries), encoding="utf-8")
    return path


def _line(one: Mapping[str, Any]) -> dict[str, Any]:
    asked, came = one["request"], one["response"]
    pairs = [[header["name"], header["value"]] for header in asked["headers"]]
    return {
        "at": one["startedDateTime"],
        "request": {"method": asked["method"], "url": asked["url"], "headers": pairs},
        "response": {
            "status": came["status"],
            "headers": [[header["name"], header["value"]] for header in came["headers"]],
            "body": came["content"]["text"],
        },
    }


STATES = (POWER_STATE, CHILD_LOCK, REMOTE_CONTROL, LOCAL_CONTROL, OPERATION_STATE)
"""What an app shows of any appliance: what may keep it from being written."""
MODES = (*COOLING_MODES, FRIDGE_SABBATH)
"""What an app shows of a refrigerator beside that."""


class Client:
    """Uses one appliance of a service that `made` makes; `entries` is what a proxy has recorded of it."""

    def __init__(self, made: type[Service], ha_id: str) -> None:
        self._clock = Clock(running=False)
        self._service = made(clock=self._clock)
        self._ha_id = ha_id
        self.entries: list[dict[str, Any]] = []

    def wait(self, seconds: float) -> None:
        """Lets time pass."""
        self._clock.advance(seconds)

    def read(self, *keys: str) -> None:
        """Reads some entries, a second each."""
        for key in keys:
            self._sent("GET", key, None)
            self.wait(1)

    def write(self, key: str, value: object) -> None:
        """Writes a setting."""
        self._sent("PUT", key, json.dumps({"data": {"key": key, "value": value}}))

    def touch(self, key: str, value: Any) -> None:
        """A person sets an entry at the appliance, which no proxy sees."""
        self._service.apply(self._service.appliances[self._ha_id], key, value)

    def poll(self, key: str, *, times: int = 4, every_s: float = 5) -> None:
        """Reads an entry again and again."""
        for _ in range(times):
            self.wait(every_s)
            self._sent("GET", key, None)

    def sets(self, key: str, value: object, *panel: str) -> None:
        """What an app does when somebody sets something: it shows the panel, writes, and polls."""
        self.read(*STATES, *panel, key)
        self.write(key, value)
        self.poll(key)
        self.wait(600)

    def switches(self, *, every_s: float, times: int = 2) -> None:
        """Switches an oven off and on, on two days, and looks a few times at what it shows then."""
        for state in (OFF, ON) * 2:
            self.read(*STATES)
            self.write(POWER_STATE, state)
            for _ in range(times):
                self.poll(POWER_STATE, times=1, every_s=every_s)
                self.poll(OPERATION_STATE, times=1, every_s=0)
            self.wait(3600)

    def _sent(self, method: str, key: str, text: str | None) -> None:
        segment = "status" if ".Status." in key else "settings"
        path = f"/api/homeappliances/{self._ha_id}/{segment}/{key}"
        reply = self._service.handle(Incoming(method, path, body=(text or "").encode()))
        one = entry(url_of(key, segment, self._ha_id), None, self._clock.now(), status=reply.status)
        one["request"] |= {"method": method} | ({"postData": {"text": text}} if text else {})
        one["response"]["content"] = {"size": len(reply.body), "text": reply.body.decode()}
        self.entries.append(one)


def judged_use(
    directory: Path, made: type[Service], using: Callable[[Client], None]
) -> dict[str, tuple[str, str]]:
    """Verdict and message of each case (`CLAUSE::key`) of a capture of what a client does."""
    client = Client(made, made.fleet[0].ha_id)
    using(client)
    return judged_capture(directory, {**truthful_profile(made(), BASE), "timing": {}}, client.entries)


def sets(key: str, *values: object, panel: tuple[str, ...] = MODES) -> Callable[[Client], None]:
    """Sets an entry to some values one after another, twice; `panel` is what is shown beside it."""

    def use(client: Client) -> None:
        for value in values * 2:
            client.sets(key, value, *panel)

    return use
