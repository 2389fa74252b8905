"""The procedures of a run as values: what an exchange was made for.

A ledger line holds the text of one; only this module reads that text.
"""

from enum import Enum
from functools import partial
from typing import Self

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import COOLING_MODES, POWER_STATE


class Sends(Enum):
    """What the requests of a kind of procedure do."""

    READS = "read what is shown"
    READS_AGAIN = "read it again, on connections of their own, where a check wants it"
    READS_BESIDE = "read it beside others, or ask for more"
    WRITES_ALLOWED = "write what a setting may take"
    WRITES_FORBIDDEN = "write what must have no effect"
    MOVES = "move hands or time"

    __hash__ = object.__hash__


class ProcedureKind(Enum):
    """What a procedure is for, and what it sends for that; the value is the first word of its text."""

    LIST = "list", Sends.READS
    """The declared list of settings or statuses."""
    NONCE = "nonce", Sends.READS
    """A key, or an appliance, that cannot exist."""
    FOREIGN = "foreign", Sends.READS
    """Keys of another kind of appliance."""
    AGAIN = "again", Sends.READS_AGAIN
    """A shared read made again; of a key that gave no value, with reads of the anchor between the tries."""
    ELSEWHERE = "elsewhere", Sends.READS_AGAIN
    """A key under other segments than its own."""
    PAYLOAD = "payload", Sends.READS_AGAIN
    """A read with what a GET should not need."""
    VERSION = "version", Sends.READS_AGAIN
    """A key under a path with a version segment."""
    REPEAT = "repeat", Sends.READS
    """Reads of one key in a row."""
    POWER_AND_OPERATION = "power-and-operation", Sends.READS
    """PowerState and OperationState in turn."""
    LOCAL_CONTROL = "local-control", Sends.READS_AGAIN
    """LocalControlActive until it reverts."""
    AGREE = "agree", Sends.READS
    """A contested status under both segments in turn."""
    PACE = "pace", Sends.READS
    """A read that ends a row of refusals."""
    GENERATED = "generated", Sends.READS_BESIDE
    """Generated requests, of names near those of the target or with more than a name, and reads beside them.
    """
    AFTER = "after", Sends.READS_BESIDE
    """A setting read once more after all that only reads, and the requests that may have moved it."""
    PREPARE = "prepare", Sends.WRITES_ALLOWED
    """Writes that end a state in which others would show nothing, and that bring it back."""
    ISOLATION = "isolation", Sends.WRITES_ALLOWED
    """Writes of a setting, while the same setting of other appliances is watched."""
    SET = "set", Sends.WRITES_ALLOWED
    """Writes of allowed values to a setting, and back."""
    GUARD = "guard", Sends.WRITES_FORBIDDEN
    """Writes to a setting that must not take effect."""
    EDGE = "edge", Sends.WRITES_FORBIDDEN
    """Writes of generated values, near the type and the range of a setting."""
    PROBE = "probe", Sends.WRITES_FORBIDDEN
    """Writes to a status."""
    MODE = "mode", Sends.WRITES_ALLOWED
    """A cooling mode switched on and off."""
    WALK = "walk", Sends.WRITES_ALLOWED
    """Writes along the edges between the power states."""
    AMBIENT = "ambient", Sends.WRITES_ALLOWED
    """Writes for the rules of the ambient light (lines 68, 70)."""
    HOOD = "hood", Sends.WRITES_ALLOWED
    """Writes for the rule of the colour temperature (lines 65, 66)."""
    ORDERS = "orders", Sends.WRITES_ALLOWED
    """The writes of a tour up to one that contradicted a clause, made again."""
    TOUR = "tour", Sends.WRITES_ALLOWED
    """The writes of a list that holds every short order of them; no case rests on them."""
    LAST_LOOK = "last-look", Sends.READS_BESIDE
    """The last read of every setting and status of an appliance that was written to."""
    WATCH = "watch", Sends.READS_BESIDE
    """Settings read while nothing is written, to see whether somebody else writes them."""
    TOUCH = "touch", Sends.MOVES
    """An appliance operated by a person or a test bench."""
    DAY = "day", Sends.MOVES
    """More than 24 hours that pass."""
    DUST_BOX_OUT = "dust-box-out", Sends.MOVES
    """A dust box taken out and put in again."""
    RESTORE = "restore", Sends.WRITES_ALLOWED
    """What an earlier run owed, put back."""

    def __new__(cls, word: str, sends: Sends) -> Self:
        """The kind of that name, with what it sends."""
        kind = object.__new__(cls)
        kind._value_, kind.sends = word, sends
        return kind

    sends: Sends
    __hash__ = object.__hash__  # each member is one object; an Enum hashes its name, in Python


class Purpose(Enum):
    """What a clause needs of a procedure that writes; what no selected clause needs is not sent."""

    ANOTHER_VALUE = "other allowed values are written"
    BOTH_ENDS = "the ends of the range are written"
    NEIGHBOURS = "the settings beside it are read"
    WRONG_TYPES = "values of other types are written"
    NO_MEMBERS = "texts that are no value of the enumeration are written"
    OUTSIDE = "numbers outside the range are written"
    UNSUPPORTED_STATES = "power states that the appliance does not have are written"
    CUSTOM_COLOR_FREE = "the custom colour is written where it can be set"
    CUSTOM_COLOR_LOCKED = "the custom colour is written where it cannot be set"
    BRIGHTNESS_FREE = "the ambient brightness is written where it can be set"
    BRIGHTNESS_LOCKED = "the ambient brightness is written where it cannot be set"
    PERCENT_FREE = "the colour temperature in percent is written where it can be set"
    PERCENT_LOCKED = "the colour temperature in percent is written where it cannot be set"

    __hash__ = object.__hash__


def _that(*sends: Sends) -> frozenset[ProcedureKind]:
    return frozenset(kind for kind in ProcedureKind if kind.sends in sends)


MADE_AGAIN = _that(Sends.READS_AGAIN)
"""The kinds that are run only where a check wants it: each of their reads has a connection of its own.
"""
READING = _that(Sends.READS, Sends.READS_AGAIN)
"""The kinds that only read, and only what is shown; others ask for more, write, or move hands or time."""
WRITING = _that(Sends.WRITES_ALLOWED, Sends.WRITES_FORBIDDEN)
"""The kinds that write."""
LATER = frozenset(ProcedureKind) - _that(Sends.READS) - {ProcedureKind.PAYLOAD}
"""The kinds that read beside writes, or on connections of their own, as a shared read does; with a payload it
asks otherwise.
"""
_MARKS = {"as-found": "as_found", "locked": "locked", "alone": "alone"}
"""How a procedure was made: the word of its text, and the field."""


class Group(Struct, frozen=True):
    """A procedure of one appliance: its kind, and what it is about, such as a key, or empty.

    One that is `alone` was made again by itself, after something unexpected. One `as_found` was
    made before a state was ended in which the procedure is made as well. One `locked` was made under a
    colour that was chosen for others and locks what it writes.
    """

    kind: ProcedureKind
    subject: str = ""
    alone: bool = False
    as_found: bool = False
    locked: bool = False

    def __str__(self) -> str:
        """The text of a ledger line: `set/Vendor.Common.Setting.ChildLock`, or the kind alone."""
        marks = (word for word, field in _MARKS.items() if getattr(self, field))
        return "/".join(word for word in (self.kind.value, self.subject, *marks) if word)

    @classmethod
    def parse(cls, text: str) -> Self:
        """The group of a text that `str` has made.

        Raises:
            ValueError: when its first word is no kind of procedure.
        """
        kind, *words = text.split("/")
        marks = [mark for mark in _MARKS if mark in words]
        subject = "/".join(words[: len(words) - len(marks)])
        return cls(ProcedureKind(kind), subject, **{_MARKS[mark]: True for mark in marks})

    @property
    def plain(self) -> "Group":
        """The procedure as cases name it, however it was made."""
        return Group(self.kind, self.subject)


NONCE_SETTINGS, NONCE_STATUS, NONCE_HA_ID = (
    Group(ProcedureKind.NONCE, of) for of in ("settings", "status", "ha_id")
)
LISTS = (Group(ProcedureKind.LIST, "settings"), Group(ProcedureKind.LIST, "status"))
FOREIGN, VERSION = Group(ProcedureKind.FOREIGN), Group(ProcedureKind.VERSION)
UNKNOWN_ENTRIES = (NONCE_SETTINGS, NONCE_STATUS, FOREIGN)
"""The groups whose refusals show how an appliance answers for an entry that it does not have."""
after_group = partial(Group, ProcedureKind.AFTER)
"""The group of the last reads of a setting, before anything is written."""
isolation_group = partial(Group, ProcedureKind.ISOLATION)
"""The group of the writes of a setting beside which other appliances are watched."""
guard_group = partial(Group, ProcedureKind.GUARD)
"""The group of the writes that a setting must ignore: wrong types, unknown values, out of range."""
edge_group = partial(Group, ProcedureKind.EDGE)
"""The group of the generated values that are written to a setting."""
probe_group = partial(Group, ProcedureKind.PROBE)
"""The group of the writes of a status, which must have no effect."""
mode_group = partial(Group, ProcedureKind.MODE)
"""The group in which a cooling mode is switched on and off and the setpoints are watched."""


def setting_group(key: str) -> Group:
    """The group of the guarded writes of a setting: allowed values, and back.

    Power states are walked, and cooling modes are switched on and off, for clauses of their own.
    """
    if key in COOLING_MODES:
        return mode_group(key)
    return WALK if key == POWER_STATE else Group(ProcedureKind.SET, key)


def in_each_state(group: Group) -> tuple[Group, ...]:
    """A procedure, and the same made in a state as found, and in one that locks; often only the first is."""
    return group, replace(group, as_found=True), replace(group, locked=True)


PREPARE = Group(ProcedureKind.PREPARE)
"""The group of the writes that prepare a state for others."""


def conducted(first: Group) -> Group:
    """The group that says that all procedures were made of which this was the first."""
    return Group(ProcedureKind.PREPARE, f"{first.kind.value}/{first.subject}", alone=first.alone)


LAST_LOOK = Group(ProcedureKind.LAST_LOOK)
"""The group of the last read of every setting, once all writes were made."""
WATCH = Group(ProcedureKind.WATCH)
"""The group of the reads that show whether somebody else writes."""
WALK = Group(ProcedureKind.WALK)
"""The group of the power walk."""
AMBIENT = Group(ProcedureKind.AMBIENT)
"""The group of the writes for the rules of the ambient light (lines 68, 70)."""
HOOD = Group(ProcedureKind.HOOD)
"""The group of the writes for the rule of the colour temperature (lines 65, 66)."""
ORDERS = POWER_ORDERS, AMBIENT_ORDERS, HOOD_ORDERS, COOLING_ORDERS = tuple(
    Group(ProcedureKind.ORDERS, rules) for rules in ("power", "ambient", "hood", "cooling")
)
"""The groups of the writes of a tour that contradicted a clause, made again; mostly empty."""
TOUCH, DAY, DUST_BOX_OUT = (
    Group(kind) for kind in (ProcedureKind.TOUCH, ProcedureKind.DAY, ProcedureKind.DUST_BOX_OUT)
)
"""The groups of an operation of the appliance, of a day that passes, of a dust box that is taken out."""
