"""What came of a client on the servers of the gym, as reports are made from it."""

from typing import Literal, TypeAlias

from msgspec import Struct

Survival: TypeAlias = Literal["survived", "flaky", "broke"]
"""What came of a client on one server: `flaky` where it failed and passed by turns."""


class ClientRun(Struct, frozen=True):
    """One run of the command.

    Attributes:
        ended: how it ended: an exit code, the number of a signal below zero, or None where it took too long.
        seconds: how long it took.
        requests: how many requests the server got meanwhile.
        said: the end of what it printed.
    """

    ended: int | None
    seconds: float
    requests: int
    said: str

    @property
    def words(self) -> str:
        """How it ended: `exit code 1`."""
        if self.ended is None:
            return "it did not end in time"
        return f"ended by signal {-self.ended}" if self.ended < 0 else f"exit code {self.ended}"


class Met(Struct, frozen=True):
    """A server, and what came of the client on it.

    Attributes:
        name: what the server is called.
        what: what is odd about it.
        group: which sort of oddity that is.
        allowed: what allows it: a sentence of the document, or its silence; empty of a hostile server.
        survival: what came of the client.
        attempts: every run of the command, in their order; those after the first only where that failed.
        parts: the names of other servers that break the client, whose oddity is a part of this one.
    """

    name: str
    what: str
    group: str
    allowed: str
    survival: Survival
    attempts: tuple[ClientRun, ...]
    parts: tuple[str, ...] = ()

    @property
    def failed(self) -> ClientRun | None:
        """The last run that failed."""
        return next((one for one in reversed(self.attempts) if one.ended != 0), None)


class Survived(Struct, frozen=True):
    """What came of a client on all servers that it met.

    Attributes:
        command: the command, as it was typed.
        started: when the first run began (RFC 3339).
        seconds: how long all runs took.
        reference: the run on the reference.
        servers: what was met, in the order of the groups.
    """

    command: tuple[str, ...]
    started: str
    seconds: float
    reference: ClientRun
    servers: tuple[Met, ...]

    def of(self, survival: Survival) -> tuple[Met, ...]:
        """The servers on which that came of the client."""
        return tuple(one for one in self.servers if one.survival == survival)
