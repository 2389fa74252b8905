"""ADDR: where settings and statuses are found (lines 3, 8, 17 to 20, 142 to 149, 181)."""

import re
from functools import partial
from urllib.parse import urljoin, urlsplit

from catalog.loader import CATALOG
from catalog.maker import maker_of, with_maker
from catalog.model import Entry
from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.groups import NONCE_HA_ID, NONCE_SETTINGS, NONCE_STATUS, VERSION, Group, ProcedureKind
from conformance.checks.premise import behind_a_state, merge, of_each_read, of_each_value, require_trust
from conformance.checks.reads.enumerations import (
    names_entry,
    other_family,
    other_maker,
    require_known_maker,
)
from conformance.checks.reads.silence import silence_of
from conformance.checks.reads.support import require_support, value_after_forbidden
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View, segment_of
from conformance.model.json_values import NOTHING, described, quoted
from conformance.model.states import exempting_state
from conformance.model.values import fits

_VERSION = re.compile(r"^v\d+(\.\d+)*$", re.IGNORECASE)
_PROBING = {ProcedureKind.VERSION, ProcedureKind.ELSEWHERE, ProcedureKind.PAYLOAD}


def assert_base_address_serves(_case: Case, seen: View) -> str | None:
    """At least one key of the appliance gives a value at base_url and the document's path."""
    served = sum(answer.has_value for answer in seen.reads.values())
    if seen.anchor:
        seen.look_at(seen.anchor)
        return f"{served} of {len(seen.reads)} reads gave a value"
    answers = list(seen.reads.values())
    if not answers:
        raise Inconclusive("nothing was asked of this appliance")
    seen.look_at(*answers[:3])
    served_elsewhere = next((answer for answer in _probes(seen) if answer.has_value), None)
    if served_elsewhere:
        raise Inconclusive(
            f"no key gives a value here, but {_path(served_elsewhere)} does (judged by its own clause)",
            served_elsewhere,
        )
    unknown = {answer.signature for answer in seen.group(NONCE_HA_ID)}
    claimed = any(seen.claim(key) == "yes" for key in seen.tried)
    alike = all(answer.is_refusal and answer.signature in unknown for answer in answers)
    if claimed and seen.appliance.online and alike:
        finding = (
            f"every key answers as an unknown haId does, {answers[0].words}; the profile claims keys and says"
            " it is online"
        )
        raise Deviation(finding, answers[0])
    silence = silence_of(seen)
    raise Inconclusive(silence.sentence, silence.answer)


def assert_unversioned(_case: Case, seen: View) -> None:
    """The path without a version segment serves the entry; a versioned alias beside it is free (line 181)."""
    probes = seen.group(VERSION)
    if not probes and (
        seen.anchor is None or any(one.outcome is Outcome.REDIRECT for one in seen.reads.values())
    ):
        seen.want(VERSION)
    served = next((probe for probe in probes if probe.has_value), None)
    if served:
        if probes[-1] is served or not (probes[-1].is_refusal or probes[-1].outcome is Outcome.REDIRECT):
            raise Inconclusive(
                f"served at {_path(served)}, and not shown to be refused without a version segment at that"
                " time",
                served,
            )
        raise Deviation(f"served at {_path(served)}, not at the path without a version segment", served)
    if seen.anchor is None:
        raise Inconclusive("no key gave a value")
    seen.look_at(seen.anchor)
    response = seen.anchor.exchange.response
    followed = response.redirects if response else ()
    versioned = next(
        (location for location in followed if has_version(location, seen.anchor.exchange.request.url)), None
    )
    if versioned:
        raise Deviation(f"served only after a redirect to {versioned}", seen.anchor)


def assert_ha_id_addresses(_case: Case, seen: View) -> None:
    """A haId that names no appliance yields no value (interpretation I-9)."""
    unknown = seen.group(NONCE_HA_ID)
    served = [one for one in unknown if one.has_value and fits(CATALOG.entries[one.key], one.value)]
    _require_refusal(seen, unknown, served, "a haId that names no appliance")


def assert_unknown_key_yields_nothing(_case: Case, seen: View) -> None:
    """A key that is not in the table yields no value (interpretation I-9)."""
    nonces = (*seen.group(NONCE_SETTINGS), *seen.group(NONCE_STATUS))
    served = [answer for answer in nonces if answer.has_value]
    _require_refusal(seen, nonces, served, "a key that is in no table")


def _require_refusal(seen: View, asked: tuple[Answer, ...], served: list[Answer], what: str) -> None:
    if seen.anchor is None:
        raise Inconclusive("no key gave a value")
    if not asked:
        raise Inconclusive(f"{what} was not asked for in this run")
    if len(served) > 1:
        told = f"{what} gives a value, {quoted(served[0].value)}, and so does another one"
        raise Deviation(told, served[0], beside=served[1:])
    if served:
        raise Inconclusive(
            f"{what} gave a value once, {quoted(served[0].value)}, and none the second time", served[0]
        )
    for answer in asked:
        # a success without a value may be declared to mean that there is no such entry
        is_nobody = answer.outcome is Outcome.NOVALUE and answer.declared_unsupported
        after = value_after_forbidden(seen, answer)
        if after:
            seen.look_at(after)
        elif answer.outcome is not Outcome.REFUSED and not is_nobody:
            raise Inconclusive(f"{what} answered {answer.words}{_needed(answer)}", answer)


def _needed(answer: Answer) -> str:
    """What would let an answer be judged that is no refusal."""
    if answer.outcome is Outcome.NOVALUE and not answer.is_error:
        return "; if that says that there is nothing of that name, declare it in http.not_supported"
    return ", and no key of the appliance gave a value after it" if answer.outcome is Outcome.AUTH else ""


def assert_own_segment(case: Case, seen: View) -> None:
    """A setting answers under settings, a status outside the contested four under status."""
    _require_own_segment(case, seen)


def assert_only_four_contested(case: Case, seen: View) -> None:
    """The ambiguity of line 149 covers four statuses: the others are not served under settings alone."""
    _require_own_segment(case, seen, "settings")


def _require_own_segment(case: Case, seen: View, only: str | None = None) -> None:
    """Requires that an entry is not served under another segment instead of its own.

    With `only`, that segment alone counts as another one, and an entry that no segment serves is no finding.
    """
    require_trust(seen)
    entry = case.subject
    (answer,) = seen.answers(entry)
    if answer.has_value or behind_a_state(case, seen):
        return
    _require_not_elsewhere(seen, entry, answer, only)
    is_missed = entry.segment == "status" and case.claim == "yes" and answer.absence is not Absence.NULL
    try:
        require_support(seen, entry, answer)
    except Deviation as deviation:
        if is_missed and only is None:
            raise
        # what is broken is the finding of READ clauses, not one more here
        raise Inconclusive(f"{deviation.finding} (READ clauses judge it)", deviation.answer) from None


def _require_not_elsewhere(seen: View, entry: Entry, answer: Answer, only: str | None) -> None:
    """Raises where the entry is refused under its own segment, twice, and served under another, twice.

    What it compares is answers in turn to two addresses, so that it takes two of each itself.
    """
    probes = seen.group(elsewhere(entry))
    may_be_asked = seen.claim(entry.key) == "yes" or seen.profile.paths.probe_other_segment
    if not probes and may_be_asked and answer.is_refusal:
        seen.want(elsewhere(entry))
    state = exempting_state(seen, entry.key)
    own = [probe for probe in probes if probe.segment == entry.segment]
    for segment in dict.fromkeys(probe.segment for probe in probes):
        served = [probe for probe in probes if probe.segment == segment and probe.has_value]
        if segment == entry.segment or len(served) < 2 or (only and segment != only):
            continue
        told = f"/{entry.segment}/ answers {answer.words}"
        is_undeclared = answer.absence is Absence.MISSING and answer.calibrated
        is_refused = bool(own) and all(one.is_refusal for one in (answer, *own))
        if is_refused and not (state or is_undeclared):
            raise Deviation(f"served under /{segment}/ only: {told}", served[0], beside=[answer])
        told += f" while {state}" if state else ""
        told += f"; is its shape declared (answer.{entry.segment})?" if is_undeclared else ""
        raise Inconclusive(f"served under /{segment}/; {told}", answer, state=state)


@of_each_read
def assert_key_is_last_segment(case: Case, seen: View, answer: Answer) -> None:
    """The key that the body carries is the last path segment asked for, exactly."""
    if seen.pointers(segment_of(answer)).key is None:
        raise NotApplicable("not served under the segment whose bodies show the key", answer)
    shown = answer.shown.key
    asked = with_maker(case.key, seen.maker)
    if shown is NOTHING:
        raise Inconclusive("the body shows no key")
    if shown != asked:
        if isinstance(shown, str):
            require_known_maker(seen, shown)
        raise Deviation(f"the body's key is {described(shown)}, asked for was {asked}")


def assert_specific(case: Case, seen: View) -> str | None:
    """The answer is about this entry: no list, no neighbour."""
    require_trust(seen)
    for answer in seen.answers(case.subject):
        if answer.absence is Absence.MISSING and len(keys := answer.listed_keys) > 1:
            if answer.calibrated:
                raise Inconclusive(
                    f"the body lists {len(keys)} keys; the pointer to the value was only guessed", answer
                )
            raise Deviation(
                f"the body lists {len(keys)} keys ({', '.join(keys[:2])}, ...), document says the specific"
                " entry",
                answer,
            )
    return merge((partial(_key_is_of_the_entry, case, seen), partial(_value_is_of_the_entry, case, seen)))


@of_each_read
def _key_is_of_the_entry(case: Case, seen: View, answer: Answer) -> None:
    shown, asked = names_entry(seen, answer), with_maker(case.key, seen.maker)
    if shown and shown != asked:
        raise Deviation(f"the body is about {shown}, asked for was {asked}")


@of_each_value
def _value_is_of_the_entry(case: Case, seen: View, answer: Answer) -> None:
    if of := other_family(seen, case.subject, answer):
        raise Deviation(
            f"value is {quoted(answer.value)}, which belongs to another entry's enumeration, {of}"
        )


@of_each_value
def assert_maker_name(_case: Case, seen: View, answer: Answer) -> None:
    """The first segment of values is the declared maker's name wherever the document says Vendor (line 3)."""
    value = answer.value
    if not isinstance(value, str):
        raise Inconclusive(f"value is {described(value)}, no string (TYPE-ENUM judges it)")
    require_known_maker(seen, value)
    if other_maker(seen, value):
        raise Deviation(
            f"value is {quoted(value)}: the maker's name is {maker_of(value)}, declared is {seen.maker}"
        )


def has_version(location: str, asked: str) -> bool:
    """Whether a redirect from `asked` leads to a version segment that was not there (a haId may be `v2`)."""
    before = urlsplit(asked).path.split("/")
    return any(
        _VERSION.match(part)
        for part in urlsplit(urljoin(asked, location)).path.split("/")
        if part not in before
    )


def elsewhere(entry: Entry) -> Group:
    """The group of the probes of `entry` under other segments, its own among them once more."""
    return Group(ProcedureKind.ELSEWHERE, entry.key)


def _probes(seen: View) -> list[Answer]:
    return [answer for group in seen.groups if group.kind in _PROBING for answer in seen.group(group)]


def _path(answer: Answer) -> str:
    return urlsplit(answer.exchange.request.url).path
