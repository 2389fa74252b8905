"""The words of the document as frozen records: entries, enumerations, clauses, gaps.

Nothing here reads a file or knows a server. `line` is always a line of the document
"Appliance Settings and Status Catalog"; keys and values are spelled with the segment
`Vendor` (see `catalog.maker` for a maker's own name).
"""

from functools import cached_property
from typing import Annotated, Final, Literal, TypeAlias, get_args

from msgspec import Meta, Struct

Line: TypeAlias = Annotated[int, Meta(ge=1, le=181)]
"""A line of the document; the last one is "Versioning scheme: not shown."."""
Text: TypeAlias = Annotated[str, Meta(pattern=r"\S")]
Texts: TypeAlias = Annotated[tuple[Text, ...], Meta(min_length=1)]
Quote: TypeAlias = Annotated[str, Meta(pattern=r"\S", max_length=400)]
"""The longest row of the document is within it; a longer quotation hides the words that matter."""
ValueType = Literal["Enumeration", "Boolean", "Integer", "Double", "Float", "String"]
NUMERIC: Final[frozenset[ValueType]] = frozenset({"Integer", "Double", "Float"})
Segment = Literal["settings", "status"]
Basis = Literal["stated", "derived", "open"]
Level = Literal["seen", "read", "write", "power", "attended"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
"""What a run may do, from nothing, where others have recorded what is judged, to attended by a person.

Each level includes those before it.
"""
BodyField = Literal["key", "unit", "type", "min", "max", "step", "allowed", "access", "description"]
"""What a body may show beside the value; the document does not show where (line 25)."""
ProfileField = Literal[
    "",
    "appliance.power_states",
    "appliance.streaming_camera",
    "appliance.unattended",
    "events",
    "hooks.advance",
    "list",
    "paths.probe_other_segment",
    "power.probe_unlisted",
]
"""A field of a profile that a clause needs to be judged; none by default."""
Certainty = Literal["stated", "stated-narrowed", "stated-conditional", "family", "prefix", "unknown"]


class Range(Struct, frozen=True, forbid_unknown_fields=True):
    """A numeric range; both ends are allowed (interpretation I-1)."""

    min: int | float
    max: int | float
    unit: Text | None = None

    def __str__(self) -> str:
        """The range as its row says it: `0 to 38340 seconds`."""
        return f"{self.min:g} to {self.max:g}{f' {self.unit}' if self.unit else ''}"


class Entry(Struct, frozen=True):
    """One key of the catalog: a row, or one of the keys a row lists.

    `values` are the whole dotted keys allowed for this very key (a refrigeration door has two
    of the three values of its family). `own_range` marks the eleven keys whose range is obtained
    from the specific setting; its `examples` are examples, never limits. `contested` marks the four
    statuses that the document shows under both segments. `kinds` are the kinds the key is tried on
    (the core pairs). `says` is what its row has as values or range, word for word.
    """

    key: str
    type: ValueType
    segment: Segment
    line: int
    notes: str
    kinds: tuple[str, ...]
    family: str | None = None
    values: tuple[str, ...] | None = None
    range: Range | None = None
    own_range: bool = False
    unit: str | None = None
    contested: bool = False
    hint: str | None = None
    examples: tuple[Range, ...] = ()
    says: str = ""

    @property
    def row(self) -> str:
        """Its row of the document: key, type, values or range, and notes."""
        return " | ".join(filter(None, (self.key, self.type, self.says, self.notes)))

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments the key is asked under: its own, or both for a contested status (line 149)."""
        return ("status", "settings") if self.contested else (self.segment,)

    @property
    def is_numeric(self) -> bool:
        """Whether the value is a number (Integer, Double or Float)."""
        return self.type in NUMERIC

    @property
    def is_counter(self) -> bool:
        """Whether the value counts something (line 99), so that it is not negative (interpretation I-6)."""
        return self.type == "Integer" and ".Status." in self.key

    @property
    def is_vendor(self) -> bool:
        """Whether the key begins with the segment Vendor and so is common to all kinds (line 3)."""
        return self.key.startswith("Vendor.")


class EnumValue(Struct, frozen=True):
    """One value of an enumeration: its whole dotted key, its short name, its label if it has one."""

    key: str
    name: str
    label: str | None
    line: int


class Enumeration(Struct, frozen=True):
    """A family of values, such as `Vendor.Common.EnumType.PowerState`."""

    family: str
    values: tuple[EnumValue, ...]


class PowerEdge(Struct, frozen=True, forbid_unknown_fields=True, rename={"source": "from", "target": "to"}):
    """A row of the power table (lines 129 to 133); states are whole dotted keys."""

    source: Text
    write: Text
    target: Text
    condition: Text
    effects: Text
    line: Line


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """A stated coupling of two or more keys.

    `effect` is one of `locks` (while `controller` has one of `values`, `subjects` cannot be set),
    `only_while` (`subjects` can be set only while it has one of them) and `keeps`
    (`subjects` stay as they are while it has one of them). `clause` judges what a rule keeps; it is empty for
    the other ones.
    """

    id: Text
    effect: Literal["locks", "only_while", "keeps"]
    controller: Text
    values: Annotated[tuple[str | bool, ...], Meta(min_length=1)]
    subjects: Texts
    quote: Quote
    line: Line
    clause: str = ""

    def locks(self, *, named: bool) -> bool:
        """Whether the subjects cannot be set: `named` says that the controller has one of the values now."""
        match self.effect:
            case "locks":
                return named
            case "only_while":
                return not named
            case "keeps":
                return False

    @property
    def may_lock(self) -> bool:
        """Whether the subjects cannot be set at times."""
        return self.locks(named=True) or self.locks(named=False)


class Kind(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of appliance the document names, with the line that names it."""

    name: Text
    phrase: Text
    line: Line


class Pair(Struct, frozen=True):
    """A key and a kind it is tried on, and how sure the document makes that."""

    key: str
    kind: str
    certainty: Certainty
    why: str


class Clause(Struct, frozen=True, forbid_unknown_fields=True):
    """A testable statement: what is judged, on which sentence, and what a run needs to judge it.

    `quote` is verbatim; `lines` are all lines it rests on, `line` the first, which holds the quote. `level`
    is the least level of a run that can judge it; one that is `in_traces` can be judged by the writes that
    others were seen to make, too. `can_fail` is false for what is only ever observed; the
    `remedy` of every other says how such a fault is usually mended. One that is `excluded` has no cases, for
    the reason given. `same_fact` are clauses that judge the same fact of
    a key, `same_answer` those that do where they rest on the same answer; each pair stands with one of the
    two.

    What a run needs besides: `needs` is a field of the profile, `reading` an interpretation that has to be
    on; `shows` are fields of a body whose places have to be declared, of `shows_one_of` one is enough, and
    those of `shows_unless_common` are needed of an entry without a common range. A finding that was read
    has to come `again` so often where the statement says so; where it does not, it is asked again as well,
    and stands without that if nobody could ask.
    """

    id: Annotated[str, Meta(pattern=r"^[A-Z]+(-[A-Z0-9]+)+$")]
    title: Text
    quote: Quote
    lines: Annotated[tuple[Line, ...], Meta(min_length=1)]
    basis: Basis
    level: Level
    can_fail: bool
    in_traces: bool = False
    remedy: str = ""
    excluded: str = ""
    needs: ProfileField = ""
    reading: Annotated[str, Meta(pattern=r"^(I-\d+)?$")] = ""
    shows: tuple[BodyField, ...] = ()
    shows_one_of: tuple[BodyField, ...] = ()
    shows_unless_common: tuple[BodyField, ...] = ()
    again: Annotated[int, Meta(ge=0)] = 0
    same_fact: tuple[Text, ...] = ()
    same_answer: tuple[Text, ...] = ()

    @property
    def line(self) -> int:
        """The line that holds the quote."""
        return self.lines[0]

    @property
    def needs_writes(self) -> bool:
        """Whether writes alone show it; what is done by hand may be read in part without."""
        return self.level in {"write", "power"}

    @property
    def section(self) -> str:
        """The prefix of the id, such as `ENUM`."""
        return self.id.partition("-")[0]


_INTERPRETATION: Final = "interpretation "  # how a gap of the data names a switch


class Gap(Struct, frozen=True, forbid_unknown_fields=True):
    """Something the document does not show, and what of a profile or a run answers it."""

    id: Annotated[str, Meta(pattern=r"^(NS|GAP)-\d{2}$")]
    line: Line
    quote: Quote
    what: Text
    answered_by: Text

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields or tables of a profile that answer it."""
        return tuple(answer for answer in self._answers if not answer.startswith(_INTERPRETATION))

    @property
    def interpretations(self) -> tuple[str, ...]:
        """The switches of `[interpretation]` that answer it, such as `I-1`."""
        return tuple(
            answer.removeprefix(_INTERPRETATION)
            for answer in self._answers
            if answer.startswith(_INTERPRETATION)
        )

    @property
    def _answers(self) -> tuple[str, ...]:
        return tuple(answer.strip() for answer in self.answered_by.split(","))


class Catalog(Struct, frozen=True, eq=False, dict=True):
    """Everything the document says, in its order.

    Catalogs are compared by identity, so that what is derived from one can be cached.
    """

    settings: tuple[Entry, ...]
    statuses: tuple[Entry, ...]
    enumerations: dict[str, Enumeration]
    kinds: tuple[Kind, ...]
    pairs: tuple[Pair, ...]
    power_edges: tuple[PowerEdge, ...]
    rules: tuple[Rule, ...]
    clauses: dict[str, Clause]
    gaps: tuple[Gap, ...]

    def keeping(self, controller: str) -> tuple[Rule, ...]:
        """The rules that say what stays as it is while a key has some value."""
        return tuple(rule for rule in self.rules if rule.effect == "keeps" and rule.controller == controller)

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """All 82 entries by key, settings first, in the document's order."""
        return {entry.key: entry for entry in (*self.settings, *self.statuses)}

    def of_type(self, *types: ValueType) -> tuple[Entry, ...]:
        """The entries whose data type is one of `types`."""
        return tuple(entry for entry in self.entries.values() if entry.type in types)

    def names_kind(self, kind: str) -> bool:
        """Whether `kind` is one of the six kinds of appliance that the document names (lines 11, 51)."""
        return any(known.name == kind for known in self.kinds)

    def of_kind(self, kind: str) -> tuple[Entry, ...]:
        """The entries an appliance of `kind` is asked for: all 82 if the document does not name the kind."""
        named = self.names_kind(kind)
        return tuple(entry for entry in self.entries.values() if not named or kind in entry.kinds)
