"""The way out for all text: standard output and standard error, whoever reads them, or nobody does.

Whatever a command says may hold texts of a file that somebody else made. On its way out each control
character becomes visible, no line is without end, and none is a command of a build server. Bytes go out as
they are: a rendering has been made safe for what it is.

Where a stream is closed, as under cron, or whoever read it has gone, what is said is lost, and nothing else:
the exit code stays that of the command.
"""

import errno
import os
import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

_GONE: Final = frozenset({errno.EPIPE, errno.EBADF, errno.EIO})
_LONGEST: Final = 2_000  # characters of a line
_COMMAND: Final = re.compile(r"^(\s*:):", re.MULTILINE)


def open_streams() -> None:
    """Opens what is closed of the three standard streams, so that no other file gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
        if getattr(sys, name) is None:
            setattr(
                sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)
            )


def printable(text: str) -> str:
    """`text` as it may stand in a log: nothing in it steers a terminal or a build server."""
    from reports.texts import visible  # noqa: PLC0415  the help is printed without

    lines = (line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…" for line in text.split("\n"))
    return _COMMAND.sub(r"\1\\x3a", visible("\n".join(lines)))


class _Outlet:
    """A stream that takes everything, and passes on what somebody reads.

    Everything that it does not do itself is done by the stream beneath.
    """

    beneath: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)

    def flush(self) -> None:
        """Passes on what was kept back."""
        with passing():
            self.beneath.flush()


class Outlet(_Outlet):
    """One for text; `shown` makes of each text what is passed on."""

    def __init__(self, stream: IO[str], shown: Callable[[str], str]) -> None:
        """Passes on to `stream`."""
        self.beneath = stream
        self._shown = shown

    @property
    def encoding(self) -> str:
        """UTF-8: what the stream beneath cannot encode, it escapes."""
        return "utf-8"

    @property
    def buffer(self) -> "_Bytes":
        """The stream for bytes."""
        return _Bytes(self.beneath.buffer)

    def write(self, text: str) -> int:
        """Passes text on; all of it is taken."""
        with passing():
            self.beneath.write(self._shown(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Passes texts on."""
        for line in lines:
            self.write(line)


class _Bytes(_Outlet):
    """One for bytes."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.beneath = stream

    def write(self, content: bytes) -> int:
        with passing():
            self.beneath.write(content)
            self.beneath.flush()
        return len(content)


@contextmanager
def passing() -> Generator[None]:
    """Where what is written is lost if nobody reads it.

    Raises:
        OSError: when it cannot be written for another reason, such as a full disk.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _GONE:
            raise OSError(error.errno, error.strerror, "standard output") from error
    except ValueError:  # it was closed
        pass


@contextmanager
def outlets(shown: Callable[[str], str]) -> Generator[None]:
    """Makes both streams outlets as long as it lasts."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (Outlet(getattr(one, "beneath", one), shown) for one in before)  # pyright: ignore[reportAttributeAccessIssue]  it has all that a stream has
    try:
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError):
                stream.flush()
        sys.stdout, sys.stderr = before
