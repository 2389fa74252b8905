"""Controls: requests for what should not exist, and for keys where they should not be.

A procedure is a generator: it yields an `Ask` and is given the answer, or yields a `Pause`. It decides what
to send next, never what an answer means; its exchanges stand in the ledger in order under its group.
"""

from collections.abc import Iterable
from itertools import cycle, islice

from msgspec.structs import replace

from catalog.loader import CATALOG
from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import (
    FOREIGN,
    NONCE_HA_ID,
    NONCE_SETTINGS,
    NONCE_STATUS,
    VERSION,
    Group,
    ProcedureKind,
)
from conformance.checks.reads.addressing import elsewhere, has_version
from conformance.checks.reads.reading import with_payload
from conformance.checks.view import View
from conformance.harness.steps import Ask, Part, Pause, Procedure, apart, listing, nonce, path_of, read
from conformance.harness.wire.building import resolved, same_origin
from conformance.harness.wire.messages import Wanted

_VERSIONS = ("v1", "v2", "v3")
_MOST_FOREIGN = 3
_LOOKS = 5
"""How often a target that may be starting is looked at."""
_OTHER_PREFIXES = {
    "settings": ("LaundryCare.Washer.Setting", "Cooking.Hood.Setting"),
    "status": ("ConsumerProducts.CoffeeMaker.Status", "Refrigeration.Common.Status"),
}


def lists(seen: View) -> Procedure:
    """The declared lists of settings and of statuses, each once."""
    for segment, shape in (("settings", seen.profile.list.settings), ("status", seen.profile.list.status)):
        if shape:
            yield listing(seen, segment, shape, Group(ProcedureKind.LIST, segment))


def find_anchor(seen: View) -> Procedure:
    """Where no key that was asked for gave a value: the other keys, one by one, until one does.

    First those that were not answered, once more, as long as each is answered now: the target may have been
    starting, and errors alone, without a value before and after them, tell nothing of a key. What stands
    before a target that starts may refuse every key alike, too: where it is said to be online, it is looked
    at for the settle time, and read anew when it answers.
    """
    if (yield from _after_its_start(seen)) or (yield from _errors_again(seen)):
        return
    places = ((segment, key) for key in seen.tried for segment in CATALOG.entries[key].segments)
    yield from _until_served(
        read(seen, key, segment) for segment, key in places if (segment, key) not in seen.reads
    )


def _until_served(asks: Iterable[Ask]) -> Part[Ask | None]:
    """Makes requests in turn until one gives a value; that one, None where none does."""
    for ask in asks:
        answer = yield ask
        if answer.has_value:
            return ask
    return None


def _until_refused(asks: Iterable[Ask]) -> Procedure:
    """Makes requests for what should not exist, as long as each gives a value."""
    for ask in asks:
        answer = yield ask
        if not answer.has_value:
            return


def _errors_again(seen: View) -> Part[bool]:
    """The reads that were not answered, once more; whether one of them gave a value."""
    unanswered = [place for place, answer in seen.reads.items() if answer.is_error]
    if unanswered:
        yield Pause(seen.profile.retry_s)
    gave_a_value = False
    for segment, key in unanswered:
        answer = yield read(seen, key, segment)
        if answer.is_error:
            break
        gave_a_value = gave_a_value or answer.has_value
    return gave_a_value


def _after_its_start(seen: View) -> Part[bool]:
    """Looks at a target that may be starting, and reads all anew when it answers; whether it did."""
    for segment, key in _looks_at_start(seen):
        yield Pause(seen.profile.timing.settle_s / _LOOKS)
        answer = yield read(seen, key, segment)
        if answer.has_value:
            for place in seen.reads:
                if place != (segment, key):
                    yield read(seen, place[1], place[0])
            return True
    return False


def _looks_at_start(seen: View) -> list[tuple[str, str]]:
    """The places to look at until a target has started: claimed ones, in turn; none where it shows it has."""
    answers = seen.reads.values()
    claimed = [place for place in seen.reads if seen.claim(place[1]) == "yes"]
    alike = len({answer.signature for answer in answers}) == 1 and all(one.is_refusal for one in answers)
    may_start = bool(seen.appliance.online) and alike
    return list(islice(cycle(claimed), _LOOKS)) if may_start else []


def unknown_keys(seen: View, seed: str, segment: str) -> Procedure:
    """A key that is in no table; a second one where the first gives a value."""
    asks = (unknown_key(seen, seed, segment, attempt) for attempt in range(2))
    return _until_refused(asks)


def unknown_key(seen: View, seed: str, segment: str, attempt: int = 0) -> Ask:
    """A GET of a key that is in no table, the first one or another."""
    word, group = ("Setting", NONCE_SETTINGS) if segment == "settings" else ("Status", NONCE_STATUS)
    drawn = nonce(f"{seed}/{seen.appliance.ha_id}/{segment}/{attempt}", "Aaaaaaaa")
    ask = read(seen, f"Vendor.Common.{word}.Nonce{drawn}", segment, group, "control")
    return apart(ask, fresh=attempt > 0)


def unknown_appliances(seen: View, seed: str) -> Procedure:
    """The anchor of a haId that names no appliance; a second one where the first gives a value."""
    anchor = seen.anchor or next(iter(seen.reads.values()), None)
    if anchor is None:
        return
    segment, key, drawn = anchor.segment, anchor.key, f"{seed}/{seen.appliance.ha_id}"
    asks = (unknown_appliance(seen, segment, key, f"{drawn}/{attempt}") for attempt in range(2))
    yield from _until_refused(apart(ask, fresh=attempt > 0) for attempt, ask in enumerate(asks))


def unknown_appliance(seen: View, segment: str, key: str, seed: str) -> Ask:
    """A GET of a key of a haId that names no appliance."""
    ha_id = _unknown_ha_id(seen, seed)
    wanted = Wanted(path_of(ha_id, segment, with_maker(key, seen.maker)))
    return Ask("control", NONCE_HA_ID, ha_id, key, segment, wanted, lane=seen.appliance.ha_id)


def _unknown_ha_id(seen: View, seed: str) -> str:
    """A haId like a declared one in length and alphabet, but longer than three characters."""
    ha_id = seen.appliance.ha_id
    shape = ha_id if sum(c.isalnum() for c in ha_id) >= len("abcd") else f"{ha_id}aaaa"
    known = {appliance.ha_id for appliance in seen.profile.appliance}
    return next(
        word for attempt in range(len(known) + 1) if (word := nonce(f"{seed}/{attempt}", shape)) not in known
    )


def foreign_keys(seen: View, seed: str) -> Procedure:
    """A setting and a status of another kind: how this appliance answers for entries it does not have.

    A kind that the document does not name is asked every key, so that none is left: a key that is in no table
    stands in, under a prefix of another kind.
    """
    drawn = f"{seed}/{seen.appliance.ha_id}"
    for segment, prefixes in _OTHER_PREFIXES.items():
        entries = [entry for entry in reversed(CATALOG.entries.values()) if entry.segment == segment]
        others = [entry.key for entry in entries if not entry.contested and not entry.is_vendor]
        foreign = [key for key in others if key not in seen.tried][:_MOST_FOREIGN]
        if not CATALOG.names_kind(seen.appliance.kind):
            foreign = [f"{prefix}.Nonce{nonce(f'{drawn}/{prefix}', 'Aaaaaaaa')}" for prefix in prefixes]
        yield from _until_refused(read(seen, key, segment, FOREIGN, "control") for key in foreign)


def other_segments(seen: View, entry: Entry) -> Procedure:
    """A refused key under the other segment, and, if it is claimed, under a misspelling of its own."""
    group = elsewhere(entry)
    misspelt = {"settings": "setting", "status": "statuses"}[entry.segment]
    other = "status" if entry.segment == "settings" else "settings"
    for segment in (other, misspelt) if seen.claim(entry.key) == "yes" else (other,):
        answer = yield read(seen, entry.key, segment, group, "control")
        if answer.has_value:
            yield read(seen, entry.key, segment, group, "control")
            yield read(seen, entry.key, entry.segment, group, "control")


def payload_probes(seen: View, answer: Answer) -> Procedure:
    """A refused key with a query, a Content-Type, a body; if one helps, again without and with it."""
    plain = read(seen, answer.key, answer.segment, with_payload(answer), "control")
    json_type = (("Content-Type", "application/json"),)
    wanted = (
        Wanted(f"{plain.wanted.path}?lang=en", fresh=True),
        Wanted(plain.wanted.path, headers=json_type, fresh=True),
        Wanted(plain.wanted.path, headers=json_type, body="{}", fresh=True),
    )
    if extended := (yield from _until_served(replace(plain, wanted=one) for one in wanted)):
        yield plain
        yield extended


def version_probes(seen: View) -> Procedure:
    """A key under a version segment, if none is served without: that of a redirect, or v1, v2, v3.

    Where one of these gives a value, the key is asked for once more without.
    """
    base = seen.profile.target.base_url
    for answer in seen.reads.values():
        response = answer.exchange.response
        location = response.header("location") if response and answer.outcome is Outcome.REDIRECT else None
        target = resolved(answer.exchange.request.url, location) if location else ""
        is_below = same_origin(target, base) and target.startswith(base)
        if is_below and has_version(target, answer.exchange.request.url):
            yield from _at(seen, answer, (target.removeprefix(base),))
            return
    claimed = next((answer for answer in seen.reads.values() if seen.claim(answer.key) == "yes"), None)
    if seen.anchor is None and claimed and claimed.is_refusal:
        asked = seen.appliance.ha_id, claimed.segment, with_maker(claimed.key, seen.maker)
        yield from _at(seen, claimed, (path_of(*asked, f"/api/{one}/homeappliances/") for one in _VERSIONS))


def _at(seen: View, answer: Answer, paths: Iterable[str]) -> Procedure:
    """A key at other paths until one gives a value, then once more at its own."""
    plain = read(seen, answer.key, answer.segment, VERSION, "control")
    if (yield from _until_served(replace(plain, wanted=Wanted(path, fresh=True)) for path in paths)):
        yield plain
