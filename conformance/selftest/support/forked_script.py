"""Our own script on the PATH of another program: forked from an interpreter that has imported the suite, not
started.
"""

import json
import socketserver
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.selftest.support.commanding import LIMIT_S, SCRIPT
from conformance.selftest.support.forked_commands import measure

_CLIENT = """#!{python} -ISE
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    server.sendall(json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode() + b"\\n")
    code, said = json.load(server.makefile("rb"))
sys.stdout.write(said)
sys.exit(code)
"""


class _Handler(socketserver.StreamRequestHandler):
    """Runs one command for a client."""

    def handle(self) -> None:
        """Read words, directory and environment; answer with the exit code and what was said."""
        words, directory, environment = json.loads(self.rfile.readline())
        measured = measure(words, Path(directory), environment, LIMIT_S)
        self.wfile.write(json.dumps([measured.code, measured.output]).encode())


@contextmanager
def forked_script() -> Generator[Path]:
    """The directory of a program that is called like our script, for as long as the context lasts.

    What the command says on standard error comes on standard output.
    """
    with TemporaryDirectory() as directory:
        address, program = Path(directory, "socket"), Path(directory, Path(SCRIPT).name)
        program.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
        program.chmod(0o755)
        with socketserver.ThreadingUnixStreamServer(str(address), _Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield program.parent
            server.shutdown()
