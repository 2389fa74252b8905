"""The generated requests of an appliance as they were made, and what one of their answers shows."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from msgspec import Struct

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import Omission
from conformance.checks.generated.mutations import GENERATED, Mutation, Relation, RequestPart
from conformance.checks.reads.enumerations import families_of, names_entry
from conformance.checks.verdict import Deviation, Inconclusive
from conformance.checks.view import View, with_reads
from conformance.model.states import exempting_state
from conformance.model.values import fits

_LONGEST = 100
TWICE = 2
BUDGET: Final = "pace.generated_reads"
"""The field that says how many requests are generated."""
NONE_ABOUT_ENTRIES: Final = Omission("no generated request was about these entries", BUDGET)
"""Why a case is not judged that rests on requests which name an entry."""
Sent: TypeAlias = tuple[str, str, tuple[tuple[str, str], ...]]
"""What makes two requests the same: method, URL, headers."""


class Probe(Struct, frozen=True):
    """One generated request: its answers in their order, and the plain reads that were made beside it.

    `plain` are of the same entry of the same appliance, `elsewhere` of the same entry of another one.
    """

    part: RequestPart
    mutation: Mutation
    entry: Entry
    asked: tuple[Answer, ...]
    plain: tuple[Answer, ...]
    elsewhere: tuple[Answer, ...]

    @property
    def relation(self) -> Relation:
        """What the request is to the plain read."""
        return self.mutation.relation

    @property
    def first(self) -> Answer:
        """The first answer."""
        return self.asked[0]

    @property
    def words(self) -> str:
        """The request in words: its path and query, a long one cut, and in which way it is generated."""
        request = self.first.exchange.request
        parts = urlsplit(request.url)
        text = f"{parts.path}?{parts.query}" if parts.query else parts.path
        told = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text)} characters)"
        return f"{request.method} {told} ({self.mutation.value})"

    def want_again(self, seen: View) -> None:
        """Wants the request once more, where it was made but once."""
        if len(self.asked) == 1:
            seen.want(self.first)


def probes_of(seen: View) -> tuple[Probe, ...]:
    """The generated requests of an appliance, in the order in which each was first made.

    Raises:
        Inconclusive: when none was made.
    """
    return seen.once(probes_of, _probes)


def _probes(seen: View) -> tuple[Probe, ...]:
    found: list[Probe] = []
    for group, (part, mutation) in GENERATED.items():
        answers = seen.made_in(group)
        asked: dict[tuple[str, Sent], list[Answer]] = {}
        for answer in answers:
            if answer.exchange.purpose == "generated":
                asked.setdefault((answer.key, sent_in(answer)), []).append(answer)
        for (key, _), made in asked.items():
            beside = [one for one in answers if one.exchange.purpose == "repeat" and one.key == key]
            plain = tuple(one for one in beside if one.ha_id == seen.appliance.ha_id)
            other = tuple(one for one in beside if one.ha_id != seen.appliance.ha_id)
            found.append(Probe(part, mutation, CATALOG.entries[key], tuple(made), plain, other))
    if not found:
        raise Inconclusive("this run made no generated request to this appliance")
    return tuple(sorted(found, key=lambda probe: probe.first.n))


def require_none(
    seen: View, probes: Iterable[Probe], against: Callable[[Probe], Iterable[tuple[Answer, str]]]
) -> None:
    """Requires that no request is answered wrongly; `against` gives its wrong answers, each in words.

    Raises:
        Deviation: when one is answered wrongly each time, the shortest of these.
        Inconclusive: when one was so once; it is wanted again where it was made but once.
    """
    once: list[tuple[Probe, Answer, str]] = []
    for probe in sorted(probes, key=length):
        wrong = list(against(probe))
        if len(wrong) >= TWICE:
            raise Deviation(wrong[0][1], wrong[0][0], beside=[answer for answer, _ in wrong[1:]])
        once += [(probe, *found) for found in wrong]
    if once:
        probe, answer, words = min(once, key=lambda one: len(one[0].asked))
        probe.want_again(seen)
        raise Inconclusive(f"{words}; once, and not again", answer)


def require_looks(seen: View, probes: Sequence[Probe]) -> None:
    """Requires that after each request without a value an entry of the appliance still gave one.

    Raises:
        Inconclusive: when none did: an appliance that answers nothing any more has told nothing of a name.
    """
    plain = [one for one in seen.told if one.exchange.purpose == "repeat" and not one.is_error]
    blind = [probe for probe in probes if not _is_looked_after(seen, probe, plain)]
    if blind:
        last = next((one for one in plain if _is_known(seen, one) and not one.has_value), None)
        now = f"{short_name(last.key)} answered {last.words}" if last else "none was read"
        then = with_reads(seen, (one for one in plain if one.has_value))
        state = exempting_state(then, last.key) if last else None
        raise Inconclusive(
            f"{len(blind)} of {len(probes)} requests were followed by no value of a known key:"
            f" {now}{f' while {state}' if state else ''}",
            last,
            state=state,
        )


def _is_looked_after(seen: View, probe: Probe, plain: Sequence[Answer]) -> bool:
    """Whether a request gave a value, or a known key did that was read next."""
    if probe.first.has_value:
        return True
    later = plain[bisect_right(plain, probe.first.n, key=lambda answer: answer.n) :]
    known = (one for one in later if one.has_value or _is_known(seen, one))
    return (found := next(known, None)) is not None and found.has_value


def _is_known(seen: View, answer: Answer) -> bool:
    """Whether a shared read of the same entry gave a value, so that now something else is answered."""
    shared = seen.reads.get(answer.place)
    return shared is not None and shared.has_value


def gives_value(answer: Answer) -> bool:
    """Whether a generated request is answered with a value, at the address that was asked.

    Where a redirect leads, the value is that of the address it names.
    """
    response = answer.exchange.response
    return (
        answer.has_value
        and answer.exchange.request.method == "GET"
        and not (response is not None and response.redirects)
    )


def is_of_an_entry(seen: View, entry: Entry, answer: Answer) -> bool:
    """Whether the value is one that an entry of the catalog has: of the type of `entry`, or a listed key."""
    value = answer.value
    if names_entry(seen, answer) or (isinstance(value, str) and families_of(seen, value)):
        return True
    return entry.type != "Enumeration" and fits(entry, value)


def length(probe: Probe) -> int:
    """The characters of what was sent: its URL and its headers."""
    request = probe.first.exchange.request
    return len(request.url) + sum(len(name) + len(value) for name, value in request.headers)


def sent_in(answer: Answer) -> Sent:
    """What was sent for an answer."""
    request = answer.exchange.request
    return request.method, request.url, request.headers
