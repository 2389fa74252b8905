"""Procedures: what needs more than one exchange, written as the story of what is sent and why.

A procedure is a generator: it yields an `Ask` and is given the answer, or yields a `Pause`. It decides what to send
next, never what it means; its exchanges stand in the ledger in order under its group.
"""

from __future__ import annotations

import hashlib
import itertools
import string
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import quote

from catalog.maker import with_maker
from conformance.checks.addressing import elsewhere, has_version
from conformance.checks.answer import Outcome
from conformance.checks.confirming import fresh_group, unit_setting
from conformance.checks.groups import FOREIGN, MADE_AGAIN, NONCE_HA_ID, NONCE_SETTINGS, NONCE_STATUS, VERSION, Group, ProcedureKind
from conformance.checks.operation import SANDWICH, WATCH, comparable, contradictory
from conformance.checks.paths import agreement, disagree
from conformance.checks.reading import LONG_SERIES, SERIES, mixed, repeat, series_of, walks, with_payload
from conformance.checks.remark import Remark
from conformance.checks.seen import OPERATION_STATE, POWER_STATE, segment_of
from conformance.checks.states import LOCAL_CONTROL, controllers_of
from conformance.checks.support import is_unsettled
from conformance.checks.tries import LEAST_TRIES, again, note_of, odds, tries_of
from conformance.checks.value_types import confirmation
from conformance.harness.messages import Wanted
from conformance.harness.origins import resolved, same_origin
from conformance.harness.steps import Ask, Pause

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from catalog.model import Entry
    from conformance.checks.answer import Answer
    from conformance.checks.exchange import Purpose
    from conformance.checks.seen import Seen
    from conformance.harness.steps import Procedure, Step
    from conformance.profiles.model import ListShape

_PREFIX = "/api/homeappliances/"
_VERSIONS = ("v1", "v2", "v3")
_MOST_FOREIGN = 3
_OTHER_PREFIXES = {
    "settings": ("LaundryCare.Washer.Setting", "Cooking.Hood.Setting"),
    "status": ("ConsumerProducts.CoffeeMaker.Status", "Refrigeration.Common.Status"),
}


def read(seen: Seen, key: str, segment: str, group: Group | None = None, purpose: Purpose = "read") -> Ask:
    """A GET of `key` under `segment` on the appliance `seen`; on a connection of its own where it makes a finding again."""
    path = path_of(seen.appliance.ha_id, segment, with_maker(key, seen.maker))
    wanted = Wanted(path, fresh=group is not None and group.kind in MADE_AGAIN)
    return Ask(purpose, group, seen.appliance.ha_id, key, segment, wanted)


def apart(ask: Ask, *, fresh: bool = True) -> Ask:
    """The same request on a connection of its own, where it is to be `fresh`."""
    return replace(ask, wanted=replace(ask.wanted, fresh=ask.wanted.fresh or fresh))


def path_of(ha_id: str, segment: str, key: str, prefix: str = _PREFIX) -> str:
    """The path of the document below base_url, each part encoded once (lines 8, 20, 146, 147)."""
    return f"{prefix}{quote(ha_id, safe='')}/{segment}/{quote(key, safe='')}"


def listing(seen: Seen, segment: str, shape: ListShape) -> Procedure:
    """The declared list of settings or statuses, once."""
    path = shape.path.replace("{ha_id}", quote(seen.appliance.ha_id, safe=""))
    yield Ask("list", Group(ProcedureKind.LIST, segment), seen.appliance.ha_id, "*", segment, Wanted(path))


def find_anchor(seen: Seen) -> Procedure:
    """Where no key that was asked for gave a value: the other keys, one by one, until one does."""
    for key in seen.tried:
        for segment in seen.catalog.entries[key].segments:
            if (segment, key) not in seen.reads:
                answer = yield read(seen, key, segment)
                if answer.has_value:
                    return


def unknown_keys(seen: Seen, seed: str, segment: str) -> Procedure:
    """A key that is in no table; a second one where the first gives a value."""
    word, group = ("Setting", NONCE_SETTINGS) if segment == "settings" else ("Status", NONCE_STATUS)
    for attempt in range(2):
        key = f"Vendor.Common.{word}.Nonce{nonce(f'{seed}/{seen.appliance.ha_id}/{segment}/{attempt}', 'Aaaaaaaa')}"
        answer = yield apart(read(seen, key, segment, group, "control"), fresh=attempt > 0)
        if not answer.has_value:
            return


def unknown_appliances(seen: Seen, seed: str) -> Procedure:
    """The anchor of a haId that names no appliance; a second one where the first gives a value."""
    anchor = seen.anchor or next(iter(seen.reads.values()), None)
    if anchor is None:
        return
    key, segment = anchor.exchange.key, anchor.exchange.segment
    for attempt in range(2):
        stranger = _stranger(seen, f"{seed}/{seen.appliance.ha_id}/{attempt}")
        path = path_of(stranger, segment, with_maker(key, seen.maker))
        answer = yield Ask("control", NONCE_HA_ID, stranger, key, segment, Wanted(path, fresh=attempt > 0), lane=seen.appliance.ha_id)
        if not answer.has_value:
            return


def foreign_keys(seen: Seen, seed: str) -> Procedure:
    """A setting and a status of another kind: how this appliance answers for entries it does not have.

    A kind that the document does not name is asked every key, so that none is left: a key that is in no table stands in.
    """
    if not seen.catalog.names_kind(seen.appliance.kind):
        yield from _unknown_keys_of_other_prefixes(seen, seed)
        return
    for segment in ("settings", "status"):
        others = [entry for entry in reversed(seen.catalog.entries.values()) if entry.segment == segment and not entry.contested]
        foreign = [entry for entry in others if entry.key not in seen.tried and not entry.is_vendor]
        for entry in foreign[:_MOST_FOREIGN]:
            answer = yield read(seen, entry.key, segment, FOREIGN, "control")
            if not answer.has_value:
                break


def _unknown_keys_of_other_prefixes(seen: Seen, seed: str) -> Procedure:
    """For each segment a key that no table has, under a prefix that the document uses; under a second one where the first gives a value."""
    for segment, prefixes in _OTHER_PREFIXES.items():
        for prefix in prefixes:
            key = f"{prefix}.Nonce{nonce(f'{seed}/{seen.appliance.ha_id}/{prefix}', 'Aaaaaaaa')}"
            answer = yield read(seen, key, segment, FOREIGN, "control")
            if not answer.has_value:
                break


def spaced_tries(seen: Seen, answer: Answer) -> Procedure:
    """Two more tries of a key that gave no value, the anchor before, between and after them; at last the keys that may lock it now."""
    yield from _tries(seen, answer, lambda _: True, LEAST_TRIES - 1)


def further_tries(seen: Seen, answer: Answer) -> Procedure:
    """As many more tries as a finding needs where errors were among the first; what that rests on is noted when they end."""
    later = yield from _tries(seen, answer, lambda later: is_unsettled(seen, answer, later), seen.profile.timing.most_tries)
    tries = tries_of(seen, answer, later)
    if any(attempt.is_error for attempt in tries.made):
        yield tries_ended(seen, again(answer), answer.exchange.key, len(tries.made), later)


def _tries(seen: Seen, answer: Answer, goes_on: Callable[[list[Answer]], bool], most: int) -> Generator[Step, Answer, list[Answer]]:
    """`most` tries of a key, as long as they go on by what was read so far; all that was read."""
    key, segment, group = answer.exchange.key, answer.exchange.segment, again(answer)
    anchor = seen.anchor and read(seen, seen.anchor.exchange.key, seen.anchor.exchange.segment, group, "repeat")
    later: list[Answer] = []
    for number in range(most):
        if not goes_on(later):
            break
        if anchor and not number:
            later.append((yield anchor))
        yield Pause(seen.profile.retry_s)
        later.append((yield read(seen, key, segment, group, "repeat")))
        if anchor:
            later.append((yield anchor))
    for controller in sorted(controllers_of(seen.catalog, key) - {key}) if later else ():
        for _ in range(LEAST_TRIES if seen.value(controller) is not None else 0):
            last = yield read(seen, controller, seen.catalog.entries[controller].segment, group, "repeat")
            if not last.is_error:
                break
    return later


def tries_ended(seen: Seen, group: Group, key: str, tries: int, later: Iterable[Answer]) -> Remark:
    """The line of the ledger that says how many tries of `key` were made in a procedure, and how often the appliance erred by then."""
    return Remark("tries", group, seen.appliance.ha_id, key, note_of(odds(seen, later), tries))


def second_read(seen: Seen, answer: Answer) -> Procedure:
    """The second read of a finding on a value, and of the unit setting it depends on."""
    key, segment, group = answer.exchange.key, answer.exchange.segment, confirmation(answer)
    yield read(seen, key, segment, group, "repeat")
    unit = unit_setting(seen, answer)
    if unit:
        yield read(seen, unit, "settings", group, "repeat")


def read_again(seen: Seen, key: str, segment: str) -> Procedure:
    """A shared read once more, on a connection of its own."""
    yield read(seen, key, segment, fresh_group(segment, key), "repeat")


def other_segments(seen: Seen, entry: Entry) -> Procedure:
    """A refused key under the other segment of the document, and, if it is claimed, under the usual misspelling of its own."""
    group = elsewhere(entry)
    misspelt = {"settings": "setting", "status": "statuses"}[entry.segment]
    other = "status" if entry.segment == "settings" else "settings"
    for segment in (other, misspelt) if seen.claim(entry.key) == "yes" else (other,):
        answer = yield read(seen, entry.key, segment, group, "control")
        if answer.has_value:
            yield read(seen, entry.key, segment, group, "control")
            yield read(seen, entry.key, entry.segment, group, "control")


def payload_probes(seen: Seen, answer: Answer) -> Procedure:
    """A refused key with what a GET should not need: a query, a Content-Type, a body; where that helps, without, with, without again."""
    plain = read(seen, answer.exchange.key, answer.exchange.segment, with_payload(answer), "control")
    json_type = (("Content-Type", "application/json"),)
    for wanted in (
        Wanted(f"{plain.wanted.path}?lang=en"),
        Wanted(plain.wanted.path, headers=json_type),
        Wanted(plain.wanted.path, headers=json_type, body="{}"),
    ):
        laden = replace(plain, wanted=replace(wanted, fresh=True))
        answer = yield laden
        if answer.has_value:
            yield plain
            yield laden
            return


def version_probes(seen: Seen) -> Procedure:
    """Where nothing is served without a version segment: where a redirect leads to, or a claimed key under v1, v2, v3.

    Where one of these gives a value, the key is asked for once more without.
    """
    base = seen.profile.target.base_url
    for answer in seen.reads.values():
        response = answer.exchange.response
        location = response.header("location") if response and answer.outcome is Outcome.REDIRECT else None
        target = resolved(answer.exchange.request.url, location) if location else ""
        if same_origin(target, base) and target.startswith(base) and has_version(target, answer.exchange.request.url):
            probed = yield _version_probe(answer, target.removeprefix(base))
            if probed.has_value:
                yield read(seen, answer.exchange.key, answer.exchange.segment, VERSION, "control")
            return
    claimed = next((answer for answer in seen.reads.values() if seen.claim(answer.exchange.key) == "yes"), None)
    if seen.anchor is None and claimed and claimed.is_refusal:
        asked = with_maker(claimed.exchange.key, seen.maker)
        for version in _VERSIONS:
            path = path_of(seen.appliance.ha_id, claimed.exchange.segment, asked, f"/api/{version}/homeappliances/")
            answer = yield _version_probe(claimed, path)
            if answer.has_value:
                yield read(seen, claimed.exchange.key, claimed.exchange.segment, VERSION, "control")
                return


def _version_probe(answer: Answer, path: str) -> Ask:
    exchange = answer.exchange
    return Ask("control", VERSION, exchange.ha_id, exchange.key, exchange.segment, Wanted(path, fresh=True))


def repeated_reads(seen: Seen, entry: Entry, answer: Answer) -> Procedure:
    """Reads of one key in a row: three, six where its value is watched; as many again where something comes and goes."""
    key, segment, group = entry.key, answer.exchange.segment, repeat(answer)
    wanted = LONG_SERIES if walks(entry) and answer.has_value else SERIES
    tries = series_of(seen, answer)
    while len(tries) < wanted:
        tries.append((yield read(seen, key, segment, group, "repeat")))
    changing = all(one.value != other.value for one, other in itertools.pairwise(tries))
    if not mixed(tries) and not (wanted == LONG_SERIES and changing):
        return
    while len(tries) < 2 * wanted:
        tries.append((yield apart(read(seen, key, segment, group, "repeat"))))
    if POWER_STATE in seen.tried and key != POWER_STATE:
        yield read(seen, POWER_STATE, "settings", group, "repeat")


def comes_and_goes(seen: Seen, answer: Answer) -> bool:
    """Whether a key that first gave no value gave one on a later try."""
    return mixed(series_of(seen, answer))


def power_and_operation(seen: Seen) -> Procedure:
    """PowerState and OperationState in turn, twice; for the whole settle time where they contradict each other."""
    if not comparable(seen):
        return
    timing = seen.profile.timing
    watched, pairs = 0.0, 0
    while pairs < LEAST_TRIES - 1 or (contradictory(seen) and watched <= timing.power_settle_s):
        power = yield apart(read(seen, POWER_STATE, "settings", SANDWICH, "repeat"), fresh=contradictory(seen))
        operation = yield apart(read(seen, OPERATION_STATE, "status", SANDWICH, "repeat"), fresh=contradictory(seen))
        pairs += 1
        moved = (power.value, operation.value) != (seen.value(POWER_STATE), seen.value(OPERATION_STATE))
        if moved and pairs >= LEAST_TRIES - 1:
            return
        if contradictory(seen):
            yield Pause(timing.poll_s)
            watched += timing.poll_s


def both_segments(seen: Seen, key: str, group: Group | None = None) -> Procedure:
    """A contested status under status and settings in turn, twice; once more where they differ, when a slow path has had time to follow."""
    drift = seen.profile.paths.battery_drift
    for sandwich in range(2):
        if sandwich:
            yield Pause(seen.profile.retry_s)
        reads: list[Answer] = []
        for segment in ("status", "settings", "status", "settings"):
            ask = read(seen, key, segment, group or agreement(key), "repeat")
            reads.append((yield apart(ask, fresh=sandwich > 0)))
        if disagree(tuple(reads), drift) is None:
            return


def local_control(seen: Seen) -> Procedure:
    """LocalControlActive until it reverts, on an appliance that is declared unattended and says that it is operated."""
    answer = seen.read(LOCAL_CONTROL)
    if answer is None or answer.value is not True or not seen.appliance.unattended:
        return
    timing, watched = seen.profile.timing, 0.0
    while watched <= timing.local_control_fail_s and answer.value is True:
        yield Pause(timing.poll_s)
        watched += timing.poll_s
        answer = yield read(seen, LOCAL_CONTROL, segment_of(answer), WATCH, "repeat")


def nonce(seed: str, shape: str) -> str:
    """A word nobody uses, the same for the same seed: a letter for each letter of `shape`, a digit for each digit."""
    digest = hashlib.sha256(seed.encode()).digest()
    alphabets = {"a": string.ascii_lowercase, "A": string.ascii_uppercase, "0": string.digits}
    kinds = ["A" if c.isupper() else "a" if c.isalpha() else "0" if c.isdigit() else "" for c in shape]
    return "".join(
        alphabets[kind][digest[index % len(digest)] % len(alphabets[kind])] if kind else shape[index] for index, kind in enumerate(kinds)
    )


def _stranger(seen: Seen, seed: str) -> str:
    """A haId of the same length and alphabet as a declared one, longer where it would be too short to be nobody's."""
    ha_id = seen.appliance.ha_id
    shape = ha_id if sum(c.isalnum() for c in ha_id) >= len("abcd") else f"{ha_id}aaaa"
    known = {appliance.ha_id for appliance in seen.profile.appliance}
    return next(word for attempt in range(len(known) + 1) if (word := nonce(f"{seed}/{attempt}", shape)) not in known)
