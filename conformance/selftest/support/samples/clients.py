"""Clients that are recorded while they use a service: what they read and write, and when."""

import json
from typing import Any

from catalog.keys import CHILD_LOCK, LOCAL_CONTROL, OPERATION_STATE, POWER_STATE, REMOTE_CONTROL
from conformance.reference.clock import Clock
from conformance.reference.service import Service
from conformance.reference.wire import Incoming
from conformance.selftest.support.samples.captured import entry, url_of

STATES = (POWER_STATE, CHILD_LOCK, REMOTE_CONTROL, LOCAL_CONTROL, OPERATION_STATE)
"""What an app shows of any appliance: what may keep it from being written."""


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
        self._sent("PUT", key, _body(key, value))

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

    def is_written_beside(self, key: str, value: object) -> None:
        """Somebody else writes, whom no proxy sees."""
        self._asked("PUT", key, _body(key, value))

    def _asked(self, method: str, key: str, text: str | None) -> tuple[str, int, bytes]:
        segment = "status" if ".Status." in key else "settings"
        path = f"/api/homeappliances/{self._ha_id}/{segment}/{key}"
        reply = self._service.handle(Incoming(method, path, body=(text or "").encode()))
        return segment, reply.status, reply.body

    def _sent(self, method: str, key: str, text: str | None) -> None:
        segment, status, body = self._asked(method, key, text)
        one = entry(url_of(key, segment, self._ha_id), None, self._clock.now(), status=status)
        one["request"] |= {"method": method} | ({"postData": {"text": text}} if text else {})
        one["response"]["content"] = {"size": len(body), "text": body.decode()}
        self.entries.append(one)


def _body(key: str, value: object) -> str:
    return json.dumps({"data": {"key": key, "value": value}})
