"""Writes the ledger of what others have recorded: the exchanges that are about an entry, without secrets.

A capture holds the session of a person. Only headers that verdicts or readers need are kept, and the query is
dropped. What stood in the other headers and in queries is masked wherever it stands again, as in a body that
repeats a token.
"""

import json
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from msgspec import Struct
from pydantic import JsonValue

from catalog.loader import CATALOG
from catalog.maker import STAND_IN, without_maker
from conformance.captures.recorded import CaptureError, Recorded, named, recorded_in
from conformance.checks.exchange import Exchange, Failure, Request, Response
from conformance.files.foreign_files import parse_json
from conformance.harness.answers.pointers import leaves
from conformance.harness.ledger import Header, Ledger
from conformance.harness.wire.redaction import Redactor
from conformance.pasted.address import Address, address_of
from conformance.pasted.curl_line import PastedError
from conformance.pasted.naming import keys_in, kind_of
from conformance.profiles.keeping import SHORTEST, known_text, why_not_kept
from conformance.profiles.kinds import UNNAMED
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile, dump_profile

_Found = tuple[Address, Recorded]
_KEPT: Final = frozenset(
    {
        *("accept", "accept-language", "allow", "content-language", "content-length", "content-type"),
        *("date", "retry-after", "transfer-encoding"),
    }
)
"""The headers that are kept, of requests and answers, in small letters."""
_HARMLESS: Final = re.compile(
    r":.*|(accept|access-control|content|if|sec)-.*|age|alt-svc|cache-control|connection|dnt|etag|expires|host"
    r"|keep-alive|last-modified|link|location|origin|pragma|priority|referer|server|strict-transport-security"
    r"|te|upgrade.*|user-agent|vary|via|x-content-type-options|x-frame-options|date",
    re.IGNORECASE,
)
"""Headers that are dropped, and hold no secret: what stands in them may stand in a body."""
_PART: Final = re.compile(rf"[\w.~+/=-]{{{SHORTEST},}}")
_LONGEST: Final = 8192
_HERE: Final = "{value}"
_SUCCESS: Final = range(200, 300)


class Taken(Struct, frozen=True):
    """What became of the captures: how many exchanges are in the ledger, and what was left out, by why."""

    profile: Profile
    exchanges: int
    left: dict[str, int]


def take(
    paths: Sequence[Path],
    profile: Profile | None,
    ledger: Path,
    identity: tuple[str, str, str],
) -> Taken:
    """Writes the ledger of some captures.

    Args:
        paths: the captures; what they hold is put in order by its time.
        profile: the profile of the target, if there is one.
        ledger: where the ledger is written.
        identity: version of the suite, digests of its catalog and of its judging.

    Raises:
        CaptureError: when a file cannot be read, or nothing in them is about an entry.
    """
    left: Counter[str] = Counter()
    writing = profile.write.method if profile and profile.write else "PUT"
    found = _addressed(paths, {"GET", writing}, left)
    if profile is None:
        profile = _guessed_profile(found, _named(paths))
    usual = Counter(_query(recorded) for _, recorded in found).most_common(1)[0][0]
    data = dump_profile(profile)
    redactor = Redactor(_secrets_of((recorded for _, recorded in found), known_text(data)))
    header = Header(*identity, "seen", "", data, _time(found[0][1]))
    makers = {own.ha_id: profile.vendor_of(own) for own in profile.appliance}
    with Ledger(ledger, header) as lines:
        for address, recorded in _popped(found):
            key = without_maker(address.key, makers.get(address.ha_id, STAND_IN))
            if address.base_url != profile.target.base_url.rstrip("/"):
                left["below another base URL"] += 1
            elif address.ha_id not in makers:
                left["of an appliance that the profile does not name"] += 1
            elif key not in CATALOG.entries:
                left["of a key that the document does not have"] += 1
            elif _query(recorded) != usual:
                left["with a query that most do not have"] += 1
            else:
                lines.add(_exchange(lines.count + 1, address, key, recorded, redactor, profile))
        count = lines.count
        lines.end()
    return Taken(profile, count, left)


def _addressed(paths: Sequence[Path], methods: Collection[str], left: Counter[str]) -> list[_Found]:
    """What the captures hold about entries, in order of time."""
    found: dict[Hashable, _Found] = {}
    for path in paths:
        times = Counter[Hashable]()
        for recorded, address in _addressed_in(path, methods, left).items():
            # captures saved one after the other overlap: it took place once, and one file may lack its answer
            asked = _identity(recorded)
            times[asked] += 1  # whose clock has seconds alone may hold the same write twice
            own = asked, times[asked]
            if own in found:
                left["recorded twice"] += 1
            if own not in found or not found[own][1].status:
                found[own] = address, recorded
    if not found:
        why = "; ".join(f"{count:,} left out: {why}" for why, count in left.items())
        told = "no exchange reads or writes an entry of the document"
        raise CaptureError(f"{_named(paths)}: {told}{why and f' ({why})'}")
    return sorted(found.values(), key=lambda one: one[1].at)


def _addressed_in(path: Path, methods: Collection[str], left: Counter[str]) -> dict[Recorded, Address]:
    """What one capture holds about entries, in its order."""
    found: dict[Recorded, Address] = {}
    for recorded in recorded_in(path, left):
        address = _entry_at(recorded.url)
        if not address or recorded.method not in methods:
            left["about no entry of the document"] += 1
        elif recorded in found:
            left["recorded twice"] += 1
        else:
            found[recorded] = address
    return found


def _guessed_profile(found: Sequence[_Found], source: str) -> Profile:
    """A profile where nobody has written one: it claims nothing, and says only what was seen.

    It is of the base URL that most exchanges are below, with the appliances of which an entry was served. The
    kind of one is that which alone has some of its keys; where there is none, or are several, it is none of
    the six, and every key is looked at.

    Raises:
        CaptureError: when no entry was served.
    """
    base_url = Counter(address.base_url for address, _ in found).most_common(1)[0][0]
    served: dict[str, list[_Found]] = {}
    for address, recorded in found:
        if address.base_url == base_url and recorded.status in _SUCCESS:
            served.setdefault(address.ha_id, []).append((address, recorded))
    tables: list[dict[str, str]] = []
    for ha_id, own in served.items():
        keys, maker = keys_in(address.key for address, _ in own)
        if keys:
            maker = maker or keys_in(_bodies(own))[1] or STAND_IN  # values tell it where no key does
            tables.append({"ha_id": ha_id, "kind": kind_of(keys)[0] or UNNAMED, "vendor": maker})
    if not tables:
        raise CaptureError(f"{source}: no answer serves an entry of the document")
    data = {"target": {"name": urlsplit(base_url).netloc, "base_url": base_url}, "appliance": tables}
    return build_profile(data, source=source)


def _bodies(found: Iterable[_Found]) -> Iterator[object]:
    """What was answered, as far as it is JSON."""
    for _, recorded in found:
        with suppress(ValueError):
            yield parse_json(recorded.body)


def _identity(recorded: Recorded) -> Hashable:
    """What is the same in two records of one exchange: of a write not the answer, which one may lack."""
    asked = recorded.at, recorded.method, recorded.url, recorded.text
    return (*asked, recorded.status, recorded.body) if recorded.method == "GET" else asked


def _named(paths: Sequence[Path]) -> str:
    return ", ".join(map(named, paths))


@lru_cache(maxsize=4096)  # a hundred thousand exchanges have few addresses
def _entry_at(url: str) -> Address | None:
    """The address of one entry of one appliance; None for every other (lines 146, 147)."""
    try:
        address = address_of(url)
    except PastedError:
        return None
    return address if address.is_of_an_entry else None


def _query(recorded: Recorded) -> frozenset[str]:
    """The names in the query: the document has none, and one may select what is answered."""
    query = urlsplit(recorded.url).query
    return frozenset(name for name, _ in parse_qsl(query, keep_blank_values=True)) if query else frozenset()


def _popped(found: list[_Found]) -> Iterator[_Found]:
    """In order, each let go of once it is used: a hundred thousand of them are large."""
    found.reverse()
    while found:
        yield found.pop()


def _exchange(  # noqa: PLR0913, PLR0917  all that an exchange is made of
    number: int, address: Address, key: str, recorded: Recorded, redactor: Redactor, profile: Profile
) -> Exchange:
    text = None if recorded.text is None else redactor.text(recorded.text)
    request = Request(
        recorded.method, redactor.text(recorded.url.partition("?")[0]), _kept(recorded.request_headers), text
    )
    headers, body = _kept(recorded.response_headers), redactor.body(recorded.body)
    response = Response(recorded.status, headers, body, recorded.elapsed_ms, complete=_is_complete(recorded))
    place = address.ha_id, address.ha_id, key, address.segment or ""
    if recorded.method == "GET":
        return Exchange(number, "read", (), *place, _time(recorded), request, response)
    came = (response, None) if recorded.status else (None, Failure("other", "no answer was recorded"))
    value = _written_value(text, profile)
    return Exchange(number, "write", (), *place, _time(recorded), request, *came, value=value)


def _time(recorded: Recorded) -> str:
    return recorded.at.isoformat(timespec="milliseconds")


def _is_complete(recorded: Recorded) -> bool:
    """Whether the body is as long as its answer has announced; where it was packed, nobody can tell."""
    headers = {name.casefold(): value for name, value in recorded.response_headers}
    length = headers.get("content-length", "")
    is_plain = headers.get("content-encoding", "identity") == "identity"
    return not (is_plain and length.isdecimal()) or int(length) == len(recorded.body)


def _kept(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The headers that go into the ledger."""
    return tuple((name, value) for name, value in headers if name.casefold() in _KEPT)


def _secrets_of(recorded: Iterable[Recorded], known: str) -> dict[str, str]:
    """What may be secret in exchanges, by a name for each.

    What is too short, or a word that reports hold anyway (`known`), could not be told from other text.
    """
    texts = dict.fromkeys(text for one in recorded for text in _texts_of(one))
    parts = dict.fromkeys(part for text in texts for part in _PART.findall(text[:_LONGEST]))
    secret = [part for part in parts if not why_not_kept(part, known)]
    return {f"SECRET_{number}": part for number, part in enumerate(secret, start=1)}


def _texts_of(recorded: Recorded) -> Iterator[str]:
    for name, value in (*recorded.request_headers, *recorded.response_headers):
        if name.casefold() not in _KEPT and not _HARMLESS.fullmatch(name):
            yield value
    split = urlsplit(recorded.url)
    yield from (value for _, value in parse_qsl(split.query))
    yield from filter(None, (split.username, split.password))


def _written_value(text: str | None, profile: Profile) -> JsonValue:
    """The value in the text of a write, where the profile declares it, else where it usually is.

    How a setting is written, the document does not show (line 151). It is None where that cannot be told: no
    write is of null.
    """
    try:
        held = leaves(json.loads(text or "null"))
    except (ValueError, RecursionError):
        return None
    declared = leaves(profile.write.body) if profile.write else {}
    place = next((pointer for pointer, word in declared.items() if word == _HERE), None)
    if place is None:
        usual = [pointer for pointer in held if pointer in {"", "/value"} or pointer.endswith("/value")]
        place = usual[0] if len(usual) == 1 else None
    value = held.get(place) if place is not None else None
    return value if isinstance(value, str | int | float | bool) else None
