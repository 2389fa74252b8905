"""What an exchange amounts to: its outcome class, and the value it holds.

The classes are those of the model all clauses share. They never judge: a refusal may be an entry the
appliance does not have, a fault, or a moment in which it cannot be asked; `support` tells these apart.
"""

import re
from collections.abc import Iterable
from enum import Enum
from typing import cast

from msgspec import Struct

from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.groups import Group, ProcedureKind, Sends
from conformance.model.json_values import NOTHING, quoted
from conformance.model.values import NO_MEMBERS, Shown, beyond
from conformance.profiles.sections import EXCEEDED, LimitName

_FORBIDDEN = 403
_KEY = re.compile(r"\.(Setting|Status)\.")


class Outcome(Enum):
    """The class of an answer to a GET."""

    VALUE = "value"
    """A success status and exactly one value, not null, at the pointer."""
    NOVALUE = "no value"
    """A success status without a value: empty, malformed, pointer missing, null."""
    REFUSED = "refused"
    """A client error that is none of the next, or 501."""
    AUTH = "access refused"
    """401, 403, 406, 407."""
    THROTTLE = "throttled"
    """429, or 503 with Retry-After, after the retries the profile allows."""
    SERVERERR = "server error"
    """Any other 5xx."""
    REDIRECT = "redirected"
    """3xx that was not followed."""
    TRANSPORT = "no response"
    """No well-formed HTTP response in time; also 408, 421 and 425."""
    UNREACHABLE = "offline"
    """Declared in http.unreachable: the service answers, and says that it cannot reach the appliance."""

    __hash__ = object.__hash__  # each member is one object; an Enum hashes its name, in Python


class Absence(Enum):
    """Why a success holds no value."""

    EMPTY = "the body is empty"
    MALFORMED = "the body is malformed"
    FOREIGN = "the body is not JSON"
    MISSING = "the body has no value at the pointer"
    UNPOINTED = "no pointer to the value is declared, and none of the usual ones fits"
    NULL = "the value is null"


class Signature(Struct, frozen=True):
    """The likeness of an answer: equal for two answers that differ only in key, haId, numbers and times."""

    outcome: Outcome
    status: int | None
    media_type: str
    body: str


class Answer(Struct, frozen=True):
    """An exchange with its class. `value`, `body` and the shown members are NOTHING where absent.

    `pointer` is where the value was looked for; `calibrated` says that this was guessed, not declared.
    `lexical` is the value's number as the server wrote it (`5.0`, `5e0`), for a reader of findings.
    `note` says in words what is wrong with a body that holds no value. `limit` is the bound of [http.limits]
    that kept the answer from being read whole: then it says nothing of the target.
    `declared_unsupported` says that the profile declares this answer to mean "not supported"
    (http.not_supported).
    """

    exchange: Exchange
    outcome: Outcome
    signature: Signature
    value: object = NOTHING
    body: object = NOTHING
    shown: Shown = NO_MEMBERS
    absence: Absence | None = None
    pointer: str | None = None
    calibrated: bool = False
    lexical: str = ""
    note: str = ""
    limit: LimitName | None = None
    declared_unsupported: bool = False

    @property
    def n(self) -> int:
        """The number of its exchange in the ledger."""
        return self.exchange.n

    @property
    def ha_id(self) -> str:
        """The appliance that was asked."""
        return self.exchange.ha_id

    @property
    def segment(self) -> str:
        """The path segment that was asked, which for a probe may be none of the document's."""
        return self.exchange.segment

    @property
    def key(self) -> str:
        """The key that was asked for, or written."""
        return self.exchange.key

    @property
    def place(self) -> tuple[str, str]:
        """The segment and the key."""
        return self.exchange.segment, self.exchange.key

    @property
    def is_write(self) -> bool:
        """Whether it is the answer to a write, also to one that puts a value back."""
        return self.exchange.purpose in WRITES

    @property
    def is_forbidden(self) -> bool:
        """Whether it was made among writes that must have no effect."""
        group = self.exchange.group
        return group is not None and group.kind.sends is Sends.WRITES_FORBIDDEN

    @property
    def has_value(self) -> bool:
        """Whether the answer holds a value that can be judged."""
        return self.outcome is Outcome.VALUE

    @property
    def written(self) -> str:
        """Its value for a finding: a number as the server wrote it, all else as JSON, short."""
        return self.lexical or quoted(self.value)

    @property
    def again(self) -> Group:
        """The procedure in which it is read again, each time on a connection of its own.

        Where it has no value, those are spaced tries, each between two reads of the anchor.
        """
        return Group(ProcedureKind.AGAIN, f"{self.exchange.segment}/{self.exchange.key}")

    @property
    def series(self) -> Group:
        """The procedure of the reads in a row that follow it."""
        return Group(ProcedureKind.REPEAT, f"{self.exchange.segment}/{self.exchange.key}")

    @property
    def is_unreadable(self) -> bool:
        """Whether a bound of the suite, or a content coding it does not undo, kept it from being read."""
        failure = self.exchange.failure
        return self.limit is not None or (failure is not None and failure.kind == "undecodable")

    @property
    def is_acknowledged(self) -> bool:
        """Whether it is a success, with a value or without: so a write that was taken is answered."""
        return self.outcome in {Outcome.VALUE, Outcome.NOVALUE}

    @property
    def is_error(self) -> bool:
        """Whether it says nothing of the entry: an error, no response, a body cut short, or offline."""
        if self.outcome in {Outcome.SERVERERR, Outcome.TRANSPORT, Outcome.UNREACHABLE}:
            return True
        return (
            self.absence is Absence.MALFORMED
            and self.exchange.response is not None
            and self.exchange.response.may_be_cut
        )

    @property
    def is_refusal(self) -> bool:
        """Whether it is a definite answer without a value: refused, or a success without one."""
        return self.outcome in {Outcome.REFUSED, Outcome.NOVALUE} and not self.is_error

    @property
    def listed_keys(self) -> list[str]:
        """The keys of a body that lists several entries: dotted strings in the objects of an array."""
        found: set[str] = set()
        stack: list[tuple[object, bool]] = [(self.body, False)]
        while stack:
            node, listed = stack.pop()
            if isinstance(node, dict):
                members = list(cast("dict[str, object]", node).values())
                found.update(
                    text for text in members if listed and isinstance(text, str) and _KEY.search(text)
                )
                stack.extend((member, False) for member in members)
            elif isinstance(node, list):
                stack.extend((item, True) for item in cast("list[object]", node))
        return sorted(found)

    @property
    def status(self) -> int | None:
        """The HTTP status, None without a response."""
        return self.exchange.response.status if self.exchange.response else None

    @property
    def began(self) -> float:
        """When the request was sent, in seconds since 1970, as the ledger has it."""
        return self.exchange.began

    @property
    def ended(self) -> float:
        """When the answer had been received, in seconds since 1970."""
        return self.began + (self.exchange.response.elapsed_ms / 1000 if self.exchange.response else 0)

    @property
    def outside(self) -> float:
        """How far its value lies outside the range of its own body; 0 inside, and where one is no number."""
        return beyond(self.shown.bounds, self.value)

    @property
    def rules(self) -> str:
        """What is shown beside the value and holds for every value: key, unit, bounds, allowed values."""
        shown = self.shown
        return repr((shown.key, shown.unit, shown.min, shown.max, shown.allowed))

    @property
    def sort(self) -> str:
        """The answer in two words, nothing quoted from it: `409 (refused)`, `200 without a value`."""
        if self.exchange.failure:
            return f"nothing ({self.exchange.failure.kind})"
        if self.limit:
            return f"{self.status}, read in part"
        if self.outcome is Outcome.NOVALUE:
            return f"{self.status} without a value"
        if self.status == _FORBIDDEN and self.is_write:
            return f"{self.status} (writing refused)"  # the same access may read
        return f"{self.status} ({self.outcome.value})"

    @property
    def words(self) -> str:
        """The answer in a few words: `409 (refused)`, `200 without a value: the body is empty`."""
        if self.exchange.failure:
            return f"nothing ({self.exchange.failure.kind}: {self.exchange.failure.text})"
        if self.limit:
            return f"{self.sort}: {EXCEEDED[self.limit]} http.limits.{self.limit} allows"
        if self.outcome is Outcome.NOVALUE:
            return f"{self.sort}: {self.note or (self.absence.value if self.absence else '')}"
        return self.sort


def in_order(answers: Iterable[Answer]) -> list[Answer]:
    """Each exchange once, in the order in which they were made."""
    found = {answer.n: answer for answer in answers}
    return [found[number] for number in sorted(found)]
