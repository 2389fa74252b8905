"""What a reader should know of an appliance beside the verdict; no verdict rests on it."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain
from math import inf
from typing import Final

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.maker import on_the_wire
from conformance.checks.answer import Outcome, in_order
from conformance.checks.exchange import Exchange
from conformance.checks.groups import LISTS
from conformance.checks.hints import hint_of, stands_in
from conformance.checks.notes import items_of
from conformance.checks.reads.enumerations import maker_is_doubtful
from conformance.checks.reads.silence import TO_A_SLASH, leads_to_a_slash, silence_of
from conformance.checks.view import View
from conformance.harness.reach import crowding_in
from conformance.model.json_values import quoted
from reports.phrases import some_of
from reports.texts import plural

_MOST_NAMED: Final = 8
_TELLING: Final = 4  # keys of a maker that were asked for; fewer may just not be there


def notices_of(views: Iterable[View]) -> tuple[str, ...]:
    """A sentence each: when it was offline, another maker's name, redirects, entries that no document has."""
    return tuple(
        f"{seen.appliance.ha_id} {words}"
        for seen in views
        for told in (_offline, _nothing_of_the_maker, _redirected, _undocumented, _stand_ins)
        for words in told(seen)
    )


def crowded(views: Iterable[View]) -> Iterator[str]:
    """That the target asked for patience to the end, and only where requests were made at the same time."""
    views = [*views]
    read = {one.exchange.n: one for seen in views for one in chain(seen.reads.values(), *seen.made.values())}
    if not any(one.outcome is Outcome.THROTTLE for one in read.values()):
        return
    told = sorted(read.values(), key=lambda one: one.began)
    ends = [*accumulate((one.ended for one in told), max, initial=0.0)]
    begins = [*(one.began for one in told[1:]), inf]
    is_beside = [
        before > one.began or after < one.ended
        for one, before, after in zip(told, ends, begins, strict=False)
    ]
    asked = [beside for one, beside in zip(told, is_beside, strict=True) if one.outcome is Outcome.THROTTLE]
    at_once = views[0].profile.concurrency
    if all(asked) and at_once > 1:  # of one at a time, two may have the same millisecond
        advice = f"ask fewer at a time (pace.concurrency, which is {at_once})"
        many = f"{len(asked)} of {plural(len(told), 'answer')} asked for patience"
        yield f"{many}, each while another request was under way: {advice}"


def taken_singly(exchanges: Sequence[Exchange], at_once: int) -> Iterator[str]:
    """That the target serves few connections at a time, as a run found that may make `at_once` requests."""
    if at_once > 1 and (crowding := crowding_in(exchanges)):
        many = f"{plural(crowding.lost, 'request')} had no answer beside others, and had one alone"
        few = "one connection" if crowding.served == 1 else "few connections"
        advice = f"ask fewer at a time (pace.concurrency, which is {at_once})"
        yield f"{many}: the target serves {few} at a time; {advice}"


def silences(views: Iterable[View]) -> Iterator[str]:
    """Why appliances gave no value: a sentence for all of which it is the same."""
    alike: dict[str, list[View]] = {}
    for seen in views:
        told = silence_of(seen).sentence.replace(seen.appliance.ha_id, "")
        alike.setdefault(told, []).append(seen)
    for same in alike.values():
        named = some_of([seen.appliance.ha_id for seen in same], _MOST_NAMED)
        yield f"{named}: no key gave a value: {silence_of(same[0]).sentence}"


def listed_keys(seen: View) -> Iterator[str]:
    """The keys that the declared lists of an appliance name."""
    listed = (items_of(seen, answer) or () for group in LISTS for answer in seen.made.get(group, ()))
    return (key for items in listed for key, _ in items if isinstance(key, str))


def _offline(seen: View) -> Iterator[str]:
    """From when to when the target said that it cannot reach an appliance (http.unreachable)."""
    told = in_order(chain(seen.reads.values(), *seen.made.values()))
    away = [one.outcome is Outcome.UNREACHABLE for one in told]
    if any(away):
        first, last = away.index(True), len(away) - 1 - away[::-1].index(True)
        until = "" if last == len(away) - 1 else f" to {told[last].exchange.at[11:19]}"
        yield f"was offline from {told[first].exchange.at[11:19]}{until}"


def _nothing_of_the_maker(seen: View) -> Iterator[str]:
    """Whether keys gave a value, but none of several that begin with the maker's name."""
    asked = [key for _, key in seen.reads if CATALOG.entries[key].is_vendor]
    if seen.anchor and len(asked) >= _TELLING and maker_is_doubtful(seen):
        told = "is there another maker's name (--vendor NAME, target.vendor)?"
        yield f"gave no value of a key that begins with {seen.maker}.: {told}"


def _redirected(seen: View) -> Iterator[str]:
    """How many keys answered with a redirect to the same path with a slash, where others gave a value."""
    responses = [(one.exchange.request.url, one.exchange.response) for one in seen.reads.values()]
    moved = [url for url, came in responses if came and leads_to_a_slash(url, came.header("location") or "")]
    if moved and seen.anchor:
        yield f"redirected {plural(len(moved), 'key')} to {TO_A_SLASH}"


def _stand_ins(seen: View) -> Iterator[str]:
    """Numbers of keys whose range only the body may show, and that often stand for nothing."""
    for (_, key), answer in seen.reads.items():
        entry = CATALOG.entries[key]
        if entry.own_range and stands_in(answer):
            yield f"gave {quoted(answer.value)} for {short_name(key)}: {hint_of(entry, answer)}"


def _undocumented(seen: View) -> Iterator[str]:
    """The keys in declared lists that the document does not have."""
    known = on_the_wire(tuple(CATALOG.entries), seen.maker)
    if keys := [key for key in listed_keys(seen) if key not in known]:
        named = some_of(list(dict.fromkeys(keys)), _MOST_NAMED)
        entries = plural(len(set(keys)), "entry", "entries")
        yield f"lists {entries} that the document does not have: {named}"
