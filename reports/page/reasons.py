"""Cases that were not decided, and what was only observed, counted by the reason they give.

Observations stand under a few topics, so that a reader finds extra keys or error codes in one place.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct

from conformance.records.results import CaseResult
from reports.limits import PAGE
from reports.phrases import NO_REASON, by_reason
from reports.texts import one_line

MOST_EXAMPLES: Final = 3  # cases named under one reason
MOST_OBSERVATIONS: Final = 400
_LONGEST: Final = 1_500  # characters of an observation

TOPICS: Final[Mapping[str, tuple[str, ...]]] = {
    "What is supported, and keys of other kinds": ("CAT-SUPPORT-VARIES",),
    "Keys under another segment, or listed beyond the catalog": ("ADDR-OTHERSEG", "PROT-LIST"),
    "Values that were not seen, and values that are not listed": ("ENUM-SUBSET",),
    "Error codes, access and pace": ("PROT-ERRORS", "PROT-AUTH", "PROT-RATE"),
    "The shape of answers, and how writing is declared": (
        "PROT-SHAPE",
        "PROT-WRITE",
        "CAT-FIELD-DESC",
        "CAT-FIELD-TYPE",
    ),
}
OTHERS: Final = "What came of writes, of events and of time"


class Reason(Struct, frozen=True):
    """Cases that ended for the same reason; `places` are the numbers of their appliances in the run."""

    anchor: str
    text: str
    number: int
    clauses: tuple[str, ...]
    examples: tuple[str, ...]
    places: tuple[int, ...]


class Reasons(Struct, frozen=True):
    """The reasons that are shown, how many more there are, and where each case is to be read."""

    rows: tuple[Reason, ...]
    more: int
    anchors: Mapping[str, str]


def group_reasons(
    cases: Iterable[CaseResult], prefix: str, places: Mapping[str, int], otherwise: str
) -> Reasons:
    """Cases of one verdict counted by the reason they give, the most frequent first.

    `prefix` begins their anchors, `otherwise` is the anchor of those that the page does not show. `places`
    are the numbers of the appliances by haId.
    """
    return _reasons(by_reason(cases), prefix, places, otherwise, PAGE.reasons)


def group_observations(cases: Collection[CaseResult], places: Mapping[str, int]) -> dict[str, Reasons]:
    """Observations by topic, in it clause by clause."""
    topics: dict[str, Reasons] = {}
    named = {clause for clauses in TOPICS.values() for clause in clauses}
    others = tuple(dict.fromkeys(case.clause for case in cases if case.clause not in named))
    for number, (name, clauses) in enumerate({**TOPICS, OTHERS: others}.items(), start=1):
        grouped: dict[tuple[str, str], list[CaseResult]] = defaultdict(list)
        for clause in clauses:
            for case in cases:
                if case.clause == clause:
                    grouped[clause, one_line(case.message, _LONGEST) or NO_REASON].append(case)
        if grouped:
            ordered, anchor = [(text, same) for (_, text), same in grouped.items()], f"observation-{number}"
            topics[name] = _reasons(ordered, anchor, places, "observations", MOST_OBSERVATIONS)
    return topics


def _reasons(
    ordered: list[tuple[str, list[CaseResult]]],
    prefix: str,
    places: Mapping[str, int],
    otherwise: str,
    most: int,
) -> Reasons:
    anchors: dict[str, str] = {}
    rows: list[Reason] = []
    for number, (text, same) in enumerate(ordered, start=1):
        anchor = f"{prefix}-{number}" if number <= most else otherwise
        anchors.update((case.id, anchor) for case in same)
        if number <= most:
            clauses = tuple(dict.fromkeys(case.clause for case in same))
            examples = tuple(case.id for case in same[:MOST_EXAMPLES])
            where = tuple(sorted({places[case.ha_id] for case in same if case.ha_id in places}))
            rows.append(Reason(anchor, text, len(same), clauses, examples, where))
    return Reasons(tuple(rows), max(0, len(ordered) - most), anchors)
