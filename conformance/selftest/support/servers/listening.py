"""A server that answers everything alike, and the profile of a refrigerator at some address."""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from conformance.mutants.hostile.model import Asked, Pause, Piece
from conformance.selftest.support.commands import LIMIT_S
from conformance.selftest.support.servers.raw_server import http, raw_server

AUTH = '[auth]\nheaders = { Authorization = "Bearer ${HUB_TOKEN}" }\n'
_BODY = b'{"data": {"value": true}}'


@dataclass
class Listener:
    """A server of a test: its address, and the paths it was asked for."""

    base_url: str
    asked: list[str] = field(default_factory=list[str])
    came: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def wait_until_asked(self, times: int) -> None:
        """Returns when so many requests have come; gives up where one takes longer than any machine needs."""
        assert all(self.came.acquire(timeout=LIMIT_S) for _ in range(times))


@contextmanager
def listening(status: int = 200, *, delay: float = 0) -> Generator[Listener]:
    """A server that answers everything alike, after `delay` seconds."""
    listener = Listener("")

    def answer(asked: Asked) -> list[Piece]:
        listener.asked.append(asked.request.path)
        listener.came.release()
        return [Pause(delay), http(status, _BODY, Content_Type="application/json")]

    with raw_server(answer) as raw:
        listener.base_url = raw.base_url
        yield listener


def write_profile(path: Path, base_url: str, *, name: str = "hub", more: str = "") -> Path:
    """A profile of one refrigerator at `base_url`, with `more` tables."""
    target = f'[target]\nname = "{name}"\nbase_url = "{base_url}"\n'
    appliance = '[[appliance]]\nha_id = "fridge-1"\nkind = "Refrigerator"\n'
    path.write_text(f"{target}{more}\n{appliance}", encoding="utf-8")
    return path
