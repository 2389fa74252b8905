"""A line between a run and a server that can be held at a chosen request, so that a test finds a run in the
middle of what it does.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

PATIENCE_S = 30.0
"""After so long a line that is held goes on by itself, so that a run that nobody ends fails a test instead of
hanging it.
"""


@dataclass
class Line:
    """Where a run finds the server, and the writes that came by.

    The answer to the first write for which `until` holds is kept back: then `held` is set, and it goes on
    with `freed`.
    """

    base_url: str
    until: Callable[[str, Any], bool]
    writes: list[tuple[str, Any]] = field(default_factory=list[tuple[str, Any]])
    held: threading.Event = field(default_factory=threading.Event)
    freed: threading.Event = field(default_factory=threading.Event)

    def came_by(self, key: str, value: object) -> None:
        """Takes down a write that the server has answered, and keeps its answer back if it is the one."""
        self.writes.append((key, value))
        if self.until(key, value) and not self.held.is_set():
            self.held.set()
            self.freed.wait(PATIENCE_S)


@contextmanager
def line_to(base_url: str, until: Callable[[str, Any], bool]) -> Generator[Line]:
    """A line to the server at `base_url`, held after the first write for which `until` holds of its key and
    value.
    """
    there = urlsplit(base_url).netloc

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Passes a request on, and the answer back."""
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            connection = HTTPConnection(there)
            kept = {
                name: text
                for name, text in self.headers.items()
                if name.casefold() not in {"host", "connection", "accept-encoding"}
            }
            connection.request(self.command, self.path, body or None, kept)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            if self.command == "PUT":
                line.came_by(self.path.rpartition("/")[2], json.loads(body)["data"]["value"])
            with suppress(OSError):  # the run may be dead
                self.send_response(answer.status)
                for name, text in answer.getheaders():
                    self.send_header(name, text)
                self.end_headers()
                self.wfile.write(content)

        do_PUT = do_GET  # noqa: N815  the name that http.server gives it

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that http.server gives it
            """Stays silent."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        line = Line(f"http://127.0.0.1:{server.server_port}", until)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield line
        line.freed.set()
        server.shutdown()
