"""Which recorded exchanges are about entries of the document, and which entry of which appliance.

> GET | /api/homeappliances/{haId}/settings/{settingKey}
"""

import re
from typing import Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from conformance.captures.recorded import Recorded

_PATH: Final = re.compile(r"(.*)/api/homeappliances/([^/]+)/(settings|status)/([^/]+)")


class Address(Struct, frozen=True):
    """The address of a recorded exchange: a base URL, and what is asked of which appliance below it.

    `key` is spelled as the target spells it.
    """

    base_url: str
    ha_id: str
    segment: str
    key: str


def address_of(recorded: Recorded) -> Address | None:
    """The address of an exchange that reads or writes one entry; None for every other (lines 146, 147)."""
    split = urlsplit(recorded.url)
    found = _PATH.fullmatch(split.path)
    if found is None or recorded.method not in {"GET", "PUT"}:
        return None
    base, ha_id, segment, key = found.groups()
    host = split.netloc.rpartition("@")[2]
    return Address(f"{split.scheme}://{host}{base}", unquote(ha_id), segment, unquote(key))
