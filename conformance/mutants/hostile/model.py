"""What a hostile server is, and what a run against it must come to.

A mutant breaks the document, and a run must say so. A hostile server attacks the run itself: its memory, its
time, its files, its terminal, its secrets, or its fairness. So each one is declared with the outcome that it
must lead to. Most of them are rows: a name, a sentence that says how they harm, a function from a request to
the bytes of the answer, and the outcome.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto
from http import HTTPStatus
from typing import Final, Literal, TypeAlias, cast

from msgspec import Struct

from catalog import keys
from catalog.model import Level
from conformance.mutants.fleets import TIMED_OVEN
from conformance.reference.fleets.cleaning import ROBOT_WATCHING
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.profile import Knowledge, laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply

TOKEN: Final = "HOSTILE_TOKEN"  # noqa: S105  the name of an environment variable, not a secret
CLIENT_SECRET: Final = "HOSTILE_CLIENT_SECRET"  # noqa: S105  the name of another
SECRET: Final = "Zq7&vKp'4wRx~9Lm2*tB"  # noqa: S105  no secret either: it may stand in the name of a header
ENVIRONMENT: Final = {TOKEN: SECRET, CLIENT_SECRET: SECRET}
"""The variables that profiles name."""

Fault: TypeAlias = Literal["self-signed", "expired", "other-host"]
"""How the certificate of a server on TLS is wrong."""


class Ending(Enum):
    """How a connection ends."""

    CLOSE = auto()
    """In good order, with FIN."""
    RESET = auto()
    """At once, with RST; what the client has not read yet is lost."""


class Pause(Struct, frozen=True):
    """So many seconds pass before the next piece."""

    seconds: float


Piece: TypeAlias = bytes | Pause | Ending
"""Bytes to send, a time to wait, or the end of the connection. After the last piece
the next request is read.
"""


class Asked(Struct, frozen=True):
    """A request that a hostile server got.

    Attributes:
        request: the request.
        reply: what a conforming server would answer.
        number: how many requests came before it, on all connections.
        base_url: where the server is reached.
        history: every request that the server got so far, this one and later ones included.
    """

    request: Incoming
    reply: Reply
    number: int
    base_url: str
    history: Sequence["Asked"]

    @property
    def earlier(self) -> Sequence["Asked"]:
        """The requests that came before it, in their order."""
        return self.history[: self.number]

    @property
    def key(self) -> str:
        """The last segment of the path: the key, where an entry is asked for."""
        return self.request.path.rpartition("/")[2]

    @property
    def gives_a_value(self) -> bool:
        """Whether it is a read that a conforming server grants."""
        return self.request.method == "GET" and self.reply.status == HTTPStatus.OK


Answer: TypeAlias = Callable[[Asked], Iterable[Piece]]
"""What is sent for a request; nothing at all leaves the client waiting."""


class Oven(Service):
    """An oven that serves an enumeration, a Boolean, an Integer, and a status."""

    name = "oven"
    fleet = (TIMED_OVEN,)


PLACES: Final = {
    keys.CHARGING_CONNECTION: "ENUM-CHARGECONN",
    keys.CURRENT_MAP: "ENUM-CURRENTMAP",
    keys.LAST_MAP: "ENUM-LASTMAP",
}
"""The enumerations of a robot, each with the clause that fails where it holds another text."""
NAMES: Final = (keys.MAP_NAME_1, keys.MAP_NAME_2, keys.MAP_NAME_3)
"""The names of its maps, which are any texts."""


class Robot(Service):
    """A robot with three enumerations, and three names of maps, which are texts."""

    name = "robot"
    fleet = (ROBOT_WATCHING.only(keys.POWER_STATE, *PLACES, *NAMES),)


class Lamp(Service):
    """A hood with an ambient light in a custom colour, which is a text that is written."""

    name = "lamp"
    fleet = (
        HOOD_COLORFUL.only(
            keys.POWER_STATE,
            keys.AMBIENT_ENABLED,
            keys.AMBIENT_BRIGHTNESS,
            keys.AMBIENT_COLOR,
            keys.CUSTOM_COLOR,
            keys.REMOTE_CONTROL,
        ).having({keys.AMBIENT_COLOR: keys.COLOR_CUSTOM}),
    )


class Outcome(Struct, frozen=True):
    """What a run must come to.

    Attributes:
        exit: the exit code of the command.
        fails: the clauses that fail, all of them; empty where nothing may be held against the target.
        resident_mb: the most memory that the judging process may use, its interpreter included.
        request: where the harm ends in the transport, what one request comes to there: a kind of failure, a
            status, `cut` and the bound that the answer is over, or `cut short`.
    """

    exit: int
    fails: frozenset[str] = frozenset()
    resident_mb: int = 200
    request: str = ""


WRITTEN_MB: Final = 20
"""The most that all files of a run may hold together."""
PROCESSOR_S: Final = 20
"""The most seconds of a processor that a run may take; how many pass meanwhile hangs on who else is there."""

NOTHING_WRONG: Final = Outcome(exit=0)
NOTHING_LEARNED: Final = Outcome(exit=3)


def lost(request: str) -> Outcome:
    """Nothing is learned, as each request comes to this in the transport."""
    return Outcome(exit=3, request=request)


MUCH_OPEN: Final = Outcome(exit=3)
"""Nothing may be held against it, but more of what is claimed is open than judging.most_open allows."""
GARBLED: Final = Outcome(exit=1, fails=frozenset({"READ-SETTING", "READ-VALUE"}))


class Hostile(Struct, frozen=True):
    """A server that attacks the run.

    Attributes:
        name: what it is called on a command line.
        harm: how it harms, in one sentence.
        answer: what it sends for a request.
        outcome: what a run against it must come to.
        greeting: what is sent when a connection is accepted, before anything is read.
        is_single: whether it serves a connection to its end before it accepts the next one.
        most: how many connections it serves at once, and closes any other; 0 is no bound.
        service: what it would be if it were not hostile.
        knowledge: what its profile says; `full` also how to write.
        profile: tables laid over its profile; `{base_url}` in a text stands for the address of the server.
        level: what a run against it may do.
        certified: whether a certificate is asked for.
        whole: whether the harm may reach a page, the terminal, a secret or what has to be put back: a whole
            command shows it. That of any other ends in what is judged, or in the transport.
        scheme: `https` where the profile says so.
        certificate: how its certificate is wrong; without one it does not speak TLS at all.
    """

    name: str
    harm: str
    answer: Answer
    outcome: Outcome
    greeting: Callable[[], Iterable[Piece]] = tuple
    is_single: bool = False
    most: int = 0
    service: type[Service] = Oven
    knowledge: Knowledge = "L2"
    profile: Mapping[str, object] = {}
    level: Level = "read"
    certified: bool = False
    whole: bool = False
    scheme: Literal["http", "https"] = "http"
    certificate: Fault | None = None

    @property
    def is_tried(self) -> bool:
        """Whether a session shows the harm: one request is too little, a command is more than it takes."""
        return not (self.whole or self.outcome.request)

    @property
    def tells_a_secret(self) -> bool:
        """Whether its profile names a variable, so that the server gets to know what the variable holds."""
        return "auth" in self.profile


HURRIED: Final[Mapping[str, object]] = {
    "http": {"timeout_s": 10},
    "pace": {
        "max_retries": 1,
        "max_retry_after_s": 0.2,
        "generated": 0,
        "generated_reads": 0,
        "generated_writes": 0,
    },
    "timing": {
        "settle_s": 0.05,
        "power_settle_s": 0.1,
        "poll_s": 0.01,
        "retry_s": 0,
        "local_control_max_s": 0.2,
    },
}
"""What every profile says, so that a run which a server keeps waiting is over soon: longer than any machine
needs for an answer.
"""

IMPATIENT: Final[Mapping[str, object]] = {"http": {"timeout_s": 0.3}}
"""What the profile of a server says whose answers never end, so that none of them is read for long."""
HASTY: Final[Mapping[str, object]] = {"http": {"timeout_s": 0.1}}
"""What it says where they never pause either, so that reading them is all work."""
AUTHORIZED: Final[Mapping[str, object]] = {"auth": {"headers": {"Authorization": f"Bearer ${{{TOKEN}}}"}}}
"""What the profile of a server says that is told a token."""


def hostile_profile(hostile: Hostile, base_url: str) -> dict[str, object]:
    """The truthful profile of the server with short timeouts and what its row adds, as plain data."""
    profile = truthful_profile(hostile.service(), base_url, knowledge=hostile.knowledge)
    profile["target"] = {"name": hostile.name, "base_url": base_url, "product": "a hostile server"}
    for tables in (HURRIED, hostile.profile):
        profile = laid_over(profile, cast("Mapping[str, object]", _placed(tables, base_url)))
    return profile


def _placed(value: object, base_url: str) -> object:
    """A value of a profile with the address of the server in its texts."""
    if isinstance(value, str):
        return value.replace("{base_url}", base_url)
    if isinstance(value, dict):
        return {name: _placed(inner, base_url) for name, inner in cast("Mapping[str, object]", value).items()}
    return value
