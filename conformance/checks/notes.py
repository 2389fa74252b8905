"""Observations: what the document leaves open, recorded and never judged.

Each function returns the note of one open clause. A clause about an appliance as a whole notes all its keys
in one text, so that a run does not carry thousands of rows that nobody can fail. Support and subsets differ
per appliance (lines 11, 26), so a missing value is never a fail.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import cast

from jsonpointer import JsonPointer

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.maker import on_the_wire, with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.groups import FOREIGN, LISTS, READING, ProcedureKind
from conformance.checks.reads.support import Standing, resolve
from conformance.checks.verdict import Deviation, Inconclusive
from conformance.checks.view import View
from conformance.model.json_values import NOTHING, quoted

_FEW = 6
_MANY = 12  # values of one entry that are named one by one
_MOST_TELLING_FIRST = (Standing.VALUE, Standing.BROKEN, Standing.UNKNOWN, Standing.UNSUPPORTED)
_TYPE_WORDS = {"Enumeration", "Boolean", "Integer", "Double", "Float", "String"}


def note_descriptions(_case: Case, seen: View) -> str:
    """CAT-FIELD-DESC: which answers carry a description."""
    shown = [answer.shown.description for answer in _values(seen)]
    others = [value for value in shown if value is not NOTHING and not isinstance(value, str)]
    odd = f"; {len(others)} are no string, such as {quoted(others[0])}" if others else ""
    return (
        f"{sum(isinstance(value, str) for value in shown)} of {len(shown)} answers carry a description{odd}"
    )


def note_type_labels(case: Case, seen: View) -> str:
    """CAT-FIELD-TYPE: the labels at the type pointer; judged only if the profile calls them catalog types.

    Raises:
        Deviation: with `type_label_is_catalog_type`, when a label is another of the six words than the
            catalog's.
    """
    labels: Counter[str] = Counter()
    for answer in _values(seen):
        label = answer.shown.type
        wanted = CATALOG.entries[answer.key].type
        is_word = isinstance(label, str) and label in _TYPE_WORDS
        if case.profile.interpretation.type_label_is_catalog_type and is_word and label != wanted:
            raise Deviation(f"type label of {answer.key} is {label}, document says {wanted}", answer)
        if label is not NOTHING:
            labels[quoted(label)] += 1
    return "labels: " + (", ".join(f"{label} {count}" for label, count in labels.most_common(_FEW)) or "none")


def note_support(_case: Case, seen: View) -> str:
    """CAT-SUPPORT-VARIES: how the keys of the appliance stand, and which of other kinds it serves."""
    standings: Counter[Standing | None] = Counter()
    for key in seen.tried:
        entry = CATALOG.entries[key]
        answers = [answer for segment in entry.segments if (answer := seen.reads.get((segment, key)))]
        stands = {resolve(seen, entry, answer).standing for answer in answers}
        standings[next((one for one in _MOST_TELLING_FIRST if one in stands), None)] += 1
    words = {**{one: one.value for one in Standing}, None: "not asked"}
    told = ", ".join(f"{standings[one]} {text}" for one, text in words.items() if standings[one])
    foreign = _foreign_keys(seen)
    return f"{told}; of other kinds: {', '.join(foreign)}" if foreign else told


def note_other_segments(_case: Case, seen: View) -> str:
    """ADDR-OTHERSEG: keys served under a segment beside their own."""
    groups = [group for group in seen.groups if group.kind is ProcedureKind.ELSEWHERE]
    served = (answer for group in groups for answer in seen.group(group) if answer.has_value)
    others = (one for one in served if one.segment not in CATALOG.entries[one.key].segments)
    told = ", ".join(dict.fromkeys(f"{one.key} under {one.segment}" for one in others))
    return f"served under another segment: {told or 'none of those asked'}"


def note_shape(_case: Case, seen: View) -> str:
    """PROT-SHAPE: where the value was found, and whether that was declared or guessed."""
    anchor = seen.anchor
    if anchor is None:
        return "no value was found"
    media = anchor.exchange.response.media_type if anchor.exchange.response else ""
    how = "guessed once in this run" if anchor.calibrated else "declared"
    return f"media type {media or 'none'}, value at {anchor.pointer!r}, {how}"


def note_errors(_case: Case, seen: View) -> str:
    """PROT-ERRORS: the status codes of answers without a value, and bytes beyond the end of an answer."""
    told = f"answers without a value: {tally(answer.sort for answer in _all(seen) if not answer.has_value)}"
    responses = [answer.exchange.response for answer in _all(seen)]
    surplus = sum(bool(response and response.surplus_bytes) for response in responses)
    return (
        f"{told}; {surplus} of {len(responses)} answers were followed by bytes that are no part of them"
        if surplus
        else told
    )


def note_access(_case: Case, seen: View) -> str:
    """PROT-AUTH: what was sent, and how often access was refused."""
    refused = sum(answer.outcome is Outcome.AUTH for answer in _all(seen))
    sent = ", ".join([*seen.profile.auth.headers, *seen.profile.auth.query]) or (
        "a bearer token" if seen.profile.auth.is_renewable else "nothing"
    )
    return f"sent: {sent}; access refused {refused} times"


def note_pace(_case: Case, seen: View) -> str:
    """PROT-RATE: how the target was paced, and how often it throttled."""
    profile = seen.profile
    pace = f"{profile.per_minute} a minute" if profile.per_minute else "unlimited"
    return (
        f"pace {pace}, {profile.concurrency} at once; throttled"
        f" {sum(answer.outcome is Outcome.THROTTLE for answer in _all(seen))} times"
    )


def note_writes(case: Case, seen: View) -> str:
    """PROT-WRITE: how writing is declared, what may be written, how a whole number with a point is answered.

    The journal counts what was written.
    """
    write = case.profile.write
    if write is None:
        raise Inconclusive("writing is not declared")
    settings = [key for key in seen.tried if ".Setting." in key]
    listed = sum(case.profile.may_write(key) for key in settings)
    pointed = [one for one in seen.told if one.exchange.purpose == "write" and _has_a_point(one)]
    told = tally("taken" if one.is_acknowledged else one.sort for one in pointed)
    answers = f"; a Double that is written as 5.0: {told}" if pointed else ""
    return (
        f"{write.method} {write.path}, declared; {listed} of {len(settings)} settings are on the write"
        f" list{answers}"
    )


def _foreign_keys(seen: View) -> list[str]:
    """The keys of other kinds that are served; none for a kind that the document does not name."""
    kind = seen.appliance.kind
    if not CATALOG.names_kind(kind):
        return []
    asked = (*seen.reads.values(), *seen.group(FOREIGN))
    served = (answer.key for answer in asked if answer.has_value)
    return [key for key in dict.fromkeys(served) if kind not in CATALOG.entries[key].kinds]


def _has_a_point(write: Answer) -> bool:
    """Whether an allowed whole number was written to a Double as a number with a point."""
    group, value = write.exchange.group, write.exchange.value
    entry = CATALOG.entries[write.key]
    is_set = group is not None and group.kind is ProcedureKind.SET
    return is_set and entry.type == "Double" and isinstance(value, float) and value.is_integer()


def _values(seen: View) -> list[Answer]:
    answers = [answer for answer in seen.reads.values() if answer.has_value]
    seen.look_at(*answers[:_FEW])
    return answers


def _all(seen: View) -> Iterable[Answer]:
    """What a run that only reads has asked: what is noted of that does not depend on writes."""
    made = (answers for group, answers in seen.groups.items() if group.kind in READING)
    return chain(seen.reads.values(), *made)


def tally(words: Iterable[str]) -> str:
    """How often there is each of some words."""
    return ", ".join(f"{word} {count}" for word, count in sorted(Counter(words).items())) or "none"


def items_of(seen: View, answer: Answer) -> list[tuple[object, object]] | None:
    """The items of a list, each with its key as on the wire, or None; None where none can be read."""
    lists = seen.profile.list
    shape = lists.settings if answer.segment == "settings" else lists.status
    items = cast("list[object] | object", answer.value)
    if not isinstance(items, list) or shape is None:
        return None
    place = JsonPointer(shape.key)
    return [(place.resolve(item, None), item) for item in cast("list[object]", items)]


def note_enumeration_subsets(_case: Case, seen: View) -> str:
    """ENUM-SUBSET: the values seen where nothing was written, the others, and those that are not listed."""
    shown = _values_by_key(seen)
    distinct = {value for values in shown.values() for value in values}
    parts = [f"{len(distinct)} distinct values seen on {len(shown)} enumeration keys"]
    for said, values_of in (("not seen while nothing was written", _unseen), ("not listed", _unlisted)):
        texts = (values_of(seen, CATALOG.entries[key], values) for key, values in shown.items())
        told = ", ".join(filter(None, texts))
        parts += [f"{said}: {told}"] if told else []
    return "; ".join(parts)


def note_lists(_case: Case, seen: View) -> str:
    """PROT-LIST: what the declared lists hold, as a hint, and which of their keys the catalog lacks."""
    lists = [answer for group in LISTS for answer in seen.group(group)]
    if not lists:
        raise Inconclusive("no list was asked for in this run")
    return "; ".join(
        f"{answer.segment}: {answer.status or answer.words}, {_items_in_words(seen, answer)}"
        for answer in lists
    )


def _values_by_key(seen: View) -> dict[str, list[str]]:
    """The values of each enumeration that was served, as JSON, in an order that does not depend on time."""
    shown: dict[str, set[str]] = {}
    for answer in _all(seen):
        entry = CATALOG.entries.get(answer.key)
        if (
            answer.has_value
            and entry is not None
            and entry.type == "Enumeration"
            and answer.ha_id == seen.appliance.ha_id
        ):
            shown.setdefault(entry.key, set()).add(quoted(answer.value))
    first = [answer for answer in seen.reads.values() if answer.key in shown][:_FEW]
    seen.look_at(*first)
    return {key: sorted(shown[key]) for key in CATALOG.entries if key in shown}


def _unseen(seen: View, entry: Entry, values: Iterable[str]) -> str:
    """The values of an entry that no answer showed, by their names; counted where they are many."""
    listed = {quoted(with_maker(value, seen.maker)): short_name(value) for value in entry.values or ()}
    left = [name for text, name in listed.items() if text not in values]
    named = " ".join(left) if len(left) <= _MANY else f"{len(left)} of {len(listed)} values"
    return f"{short_name(entry.key)} {named}" if left else ""


def _unlisted(seen: View, entry: Entry, values: Iterable[str]) -> str:
    """The values that were shown, or stand in a list of allowed values, and are none of the entry's."""
    own = {quoted(value) for value in on_the_wire(entry.values or (), seen.maker)}
    advertised = [
        quoted(value)
        for answer in seen.reads.values()
        if answer.key == entry.key
        for value in answer.shown.listed
    ]
    others = [value for value in dict.fromkeys((*values, *advertised)) if value not in own]
    return f"{short_name(entry.key)} {_some(others)}" if others else ""


def _items_in_words(seen: View, answer: Answer) -> str:
    items = items_of(seen, answer)
    if items is None:
        return "no readable items"
    known = on_the_wire(tuple(CATALOG.entries), seen.maker)
    extra = [key for key, _ in items if isinstance(key, str) and key not in known]
    beside = (
        f", {len(extra)} of them not in the catalog: {_some([quoted(key) for key in extra])}" if extra else ""
    )
    return f"{len(items)} items{beside}"


def _some(texts: list[str]) -> str:
    more = f" and {len(texts) - _MANY} more" if len(texts) > _MANY else ""
    return " ".join(texts[:_MANY]) + more
