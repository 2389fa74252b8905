"""TYPE, ENUM, RANGE: a generated request that is answered with a value of an entry shows one it may have.

More around a name that names nothing else (a query, a header) leaves it a GET of its key. Another spelling of
the key counts only where the body shows the key itself.
"""

from collections.abc import Iterator
from functools import partial, wraps

from msgspec.structs import replace

from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.generated.mutations import NAMING_NOTHING, Relation
from conformance.checks.generated.probes import (
    NONE_ABOUT_ENTRIES,
    Probe,
    gives_value,
    probes_of,
    require_none,
)
from conformance.checks.premise import Check, require_trust
from conformance.checks.reads.enumerations import names_entry
from conformance.checks.verdict import Deviation, Judgement, NotApplicable, NotTried
from conformance.checks.view import View


def of_generated(check: Check) -> Check:
    """The check of an entry's value, for all values that generated requests of its entries gave.

    Raises:
        Deviation: when one contradicts, twice, and the plain reads of its entry do not.
        Inconclusive: when one did once.
        NotApplicable: when the appliance serves none of the entries.
        NotTried: when none of the entries was asked for in this way.
    """

    @wraps(check)
    def judged(case: Case, seen: View) -> str | None:
        require_trust(seen)
        if not any(seen.value(key) is not None for key in case.about):
            raise NotApplicable("none of the entries is served")
        probes = [probe for probe in probes_of(seen) if probe.entry.key in case.about and _shows(seen, probe)]
        if not probes:
            raise NotTried(NONE_ABOUT_ENTRIES)
        require_none(seen, probes, partial(_against, check, case, seen))
        seen.look_at(*(probe.first for probe in probes))
        return f"{len(probes)} generated requests gave values"

    return judged


def _shows(seen: View, probe: Probe) -> bool:
    """Whether a generated request was answered with a value that is said to be of its entry."""
    if not gives_value(probe.first):
        return False
    named = names_entry(seen, probe.first)
    is_own = named == with_maker(probe.entry.key, seen.maker)
    if probe.mutation in NAMING_NOTHING:
        return named is None or is_own
    return probe.relation is Relation.ALIAS and is_own


def _against(check: Check, case: Case, seen: View, probe: Probe) -> Iterator[tuple[Answer, str]]:
    """The answers that the check finds wrong, and why; none where a plain one is, which has its own case."""
    own = replace(case, entry=probe.entry, generated=False)
    # what is wrong in a shared read, too, is not asked for again
    shared = seen.reads.get((probe.first.segment, probe.entry.key))
    plain = [answer for answer in (*probe.plain, shared) if answer and answer.has_value]
    if any(isinstance(_found(check, own, seen, read), Deviation) for read in plain):
        return
    for answer in probe.asked:
        found = _found(check, own, seen, answer) if gives_value(answer) else None
        if isinstance(found, Deviation):
            yield answer, f"{probe.words}: {found.finding}"


def _found(check: Check, case: Case, seen: View, answer: Answer) -> Judgement | None:
    """What the check says of one answer alone."""
    others = {place: read for place, read in seen.reads.items() if place[1] != case.key}
    reads = {**others, (answer.segment, case.key): answer}
    try:
        check(case, replace(seen, reads=reads, made={**seen.made, answer.again: (), answer.series: ()}))
    except Judgement as judgement:
        return judgement
    return None
