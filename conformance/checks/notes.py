"""Observations: what the document leaves open, recorded and never judged.

Each function returns the note of one open clause. A clause about an appliance as a whole notes all its keys
in one text, so that a run does not carry thousands of rows that nobody can fail.
"""

from collections import Counter
from collections.abc import Iterable

from catalog.keys import POWER_STATE
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.groups import FOREIGN, ProcedureKind
from conformance.checks.reads.support import resolve
from conformance.checks.traces.trace import of_reading
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.model.json_values import NOTHING, quoted

_FEW = 6
_TYPE_WORDS = {"Enumeration", "Boolean", "Integer", "Double", "Float", "String"}


def note_declaration(_case: Case, seen: View) -> str:
    """CAT-ICS: what the profile claims; its contradictions were refused before any request."""
    claims = Counter(seen.claim(key) for key in seen.tried)
    return (
        f"the profile claims {claims['yes']} of {len(seen.tried)} keys, denies {claims['no']},"
        f" leaves {claims['unknown']} open"
    )


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
        wanted = seen.catalog.entries[answer.exchange.key].type
        is_word = isinstance(label, str) and label in _TYPE_WORDS
        if case.profile.interpretation.type_label_is_catalog_type and is_word and label != wanted:
            raise Deviation(f"type label of {answer.exchange.key} is {label}, document says {wanted}", answer)
        if label is not NOTHING:
            labels[quoted(label)] += 1
    return "labels: " + (", ".join(f"{label} {count}" for label, count in labels.most_common(_FEW)) or "none")


def note_possible_values(_case: Case, seen: View) -> str:
    """CAT-FIELD-POSSIBLE: how many answers carry a list or a range (ENUM-ADVERTISED and RANGE judge them)."""
    answers = _values(seen)
    lists = sum(isinstance(answer.shown.allowed, list) for answer in answers)
    ranges = sum(answer.shown.min is not NOTHING or answer.shown.max is not NOTHING for answer in answers)
    return f"of {len(answers)} values, {lists} come with a list of allowed values and {ranges} with a bound"


def note_labels(_case: Case, _seen: View) -> str:
    """CAT-LABELS: the three labels select nothing."""
    return "every entry carries all three labels; nothing is selected by them"


def note_support(_case: Case, seen: View) -> str:
    """CAT-SUPPORT-VARIES: how the keys of the appliance stand."""
    standings: Counter[str] = Counter()
    for key in seen.tried:
        entry = seen.catalog.entries[key]
        answers = [answer for segment in entry.segments if (answer := seen.reads.get((segment, key)))]
        stands = {resolve(seen, entry, answer).standing for answer in answers}
        standings[
            next(
                (word for word in ("value", "broken", "unknown", "unsupported") if word in stands),
                "not asked",
            )
        ] += 1
    words = {
        "value": "served",
        "unsupported": "not supported",
        "unknown": "undecided",
        "broken": "broken",
        "not asked": "not asked",
    }
    return ", ".join(f"{standings[word]} {text}" for word, text in words.items() if standings[word])


def note_vendor_keys(_case: Case, seen: View) -> str:
    """CAT-VENDOR-COMMON: which of the keys common to all kinds are served."""
    asked = [key for key in seen.tried if key.startswith("Vendor.")]
    return (
        f"{sum(_is_served(seen, key) for key in asked)} of {len(asked)} keys common to all kinds are served"
    )


def note_foreign_keys(case: Case, seen: View) -> str:
    """CAT-KIND-FOREIGN: keys of another kind that are served; none for an unnamed kind (line 11)."""
    if not seen.catalog.names_kind(case.kind):
        return f"{case.kind} is none of the kinds the document names: no key belongs to another kind"
    foreign = [key for key in seen.tried if case.kind not in seen.catalog.entries[key].kinds]
    served = [key for key in foreign if _is_served(seen, key)]
    served += [answer.exchange.key for answer in seen.group(FOREIGN) if answer.has_value]
    return f"keys of other kinds served: {', '.join(served) or 'none seen'}"


def note_other_segments(_case: Case, seen: View) -> str:
    """ADDR-OTHERSEG: keys served under a segment beside their own."""
    served: list[str] = []
    for group in seen.groups:
        if group.kind is ProcedureKind.ELSEWHERE:
            served += [
                f"{answer.exchange.key} under {answer.exchange.segment}"
                for answer in seen.group(group)
                if _is_elsewhere(seen, answer)
            ]
    return f"served under another segment: {', '.join(dict.fromkeys(served)) or 'none of those asked'}"


def note_value(case: Case, seen: View) -> str:
    """The value of an entry about which nothing more is shown."""
    answers = [answer for answer in seen.answers(case.subject) if answer.has_value]
    if not answers:
        raise NotApplicable(f"not served: {seen.answers(case.subject)[0].words}")
    return "value " + ", ".join(quoted(answer.value) for answer in answers)


def note_other_operation_states(case: Case, seen: View) -> str:
    """OPS-OTHERS: the other seven operation states say nothing about power."""
    return (
        f"{note_value(case, seen)} with PowerState"
        f" {quoted(seen.value(POWER_STATE)) if seen.value(POWER_STATE) else 'not served'}"
    )


def note_sequence(case: Case, seen: View) -> str:
    """Transitions that are not shown: the values in the order they were seen."""
    seen.answers(case.subject)
    values = [
        quoted(answer.value)
        for answer in sorted(_all(seen), key=lambda answer: answer.exchange.n)
        if answer.has_value and answer.exchange.key == case.key
    ]
    if not values:
        raise NotApplicable("no value was seen")
    return f"{len(values)} reads: {' -> '.join(list(dict.fromkeys(values))[:_FEW])}"


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
    told = f"answers without a value: {_tally(answer.sort for answer in _all(seen) if not answer.has_value)}"
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
    sent = ", ".join(seen.profile.auth.headers) or (
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
    pointed = [one for one in seen.told if one.exchange.purpose == "write" and _has_a_point(seen, one)]
    told = _tally("taken" if one.is_acknowledged else one.sort for one in pointed)
    answers = f"; a Double that is written as 5.0: {told}" if pointed else ""
    return (
        f"{write.method} {write.path}, declared; {listed} of {len(settings)} settings are on the write"
        f" list{answers}"
    )


def _has_a_point(seen: View, write: Answer) -> bool:
    """Whether an allowed whole number was written to a Double as a number with a point."""
    group, value = write.exchange.group, write.exchange.value
    entry = seen.catalog.entries[write.exchange.key]
    is_set = group is not None and group.kind is ProcedureKind.SET
    return is_set and entry.type == "Double" and isinstance(value, float) and value.is_integer()


def _values(seen: View) -> list[Answer]:
    answers = [answer for answer in seen.reads.values() if answer.has_value]
    seen.look_at(*answers[:_FEW])
    return answers


def _all(seen: View) -> Iterable[Answer]:
    return (answer for answers in (seen.reads.values(), *of_reading(seen).values()) for answer in answers)


def _is_served(seen: View, key: str) -> bool:
    return any(
        (answer := seen.reads.get((segment, key))) and answer.has_value for segment in ("settings", "status")
    )


def _is_elsewhere(seen: View, answer: Answer) -> bool:
    return (
        answer.has_value and answer.exchange.segment not in seen.catalog.entries[answer.exchange.key].segments
    )


def _tally(words: Iterable[str]) -> str:
    return ", ".join(f"{word} {count}" for word, count in sorted(Counter(words).items())) or "none"
