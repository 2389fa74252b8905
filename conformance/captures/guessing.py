"""A profile for a capture where nobody has written one: it claims nothing, and says only what was seen.

The kind of an appliance is the one that alone has some of the keys which gave a value. Where
there is none, or are several, it is none of the six, and every key is looked at.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Final
from urllib.parse import urlsplit

from catalog.maker import STAND_IN
from conformance.captures.recorded import CaptureError, Recorded
from conformance.files.foreign_files import parse_json
from conformance.pasted.address import Address
from conformance.pasted.naming import keys_in, kind_of
from conformance.profiles.kinds import UNNAMED
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile

_SUCCESS: Final = range(200, 300)


def guessed_profile(seen: Sequence[tuple[Address, Recorded]], source: str) -> Profile:
    """A profile of what was seen below one base URL: the appliances of which an entry was served.

    Args:
        seen: what was recorded there.
        source: the files, for messages.

    Raises:
        CaptureError: when no entry was served.
    """
    by_appliance: dict[str, list[tuple[Address, Recorded]]] = {}
    for address, recorded in seen:
        if recorded.status in _SUCCESS:
            by_appliance.setdefault(address.ha_id, []).append((address, recorded))
    tables = [table for ha_id, own in by_appliance.items() if (table := _table(ha_id, own))]
    if not tables:
        raise CaptureError(f"{source}: no answer serves an entry of the document")
    base_url = seen[0][0].base_url
    data = {"target": {"name": urlsplit(base_url).netloc, "base_url": base_url}, "appliance": tables}
    return build_profile(data, source=source)


def _table(ha_id: str, seen: Sequence[tuple[Address, Recorded]]) -> dict[str, str] | None:
    """What a profile says of an appliance; None for one of which no entry of the document was served."""
    keys, maker = keys_in(address.key for address, _ in seen)
    if not keys:
        return None
    maker = maker or keys_in(_bodies(seen))[1] or STAND_IN
    return {"ha_id": ha_id, "kind": kind_of(keys)[0] or UNNAMED, "vendor": maker}


def _bodies(seen: Iterable[tuple[Address, Recorded]]) -> Iterator[object]:
    """What was answered, as far as it is JSON: values tell the maker where no key does."""
    for _, recorded in seen:
        with suppress(ValueError):
            yield parse_json(recorded.body)


def most_used_base(addresses: Iterable[Address]) -> str:
    """The base URL that most exchanges are below."""
    return Counter(address.base_url for address in addresses).most_common(1)[0][0]
