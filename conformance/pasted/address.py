"""What an address says: where the target is, which appliance, segment and key, and whose key it is."""

from urllib.parse import parse_qsl, unquote, urlsplit

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.maker import STAND_IN
from catalog.model import Segment
from conformance.pasted.curl_line import PastedError

_TREE = "/api/homeappliances"
_ENTRY = f"{_TREE}/{{haId}}/settings/{{settingKey}}"
_SEGMENTS: dict[str, Segment] = {"settings": "settings", "status": "status"}


class Address(Struct, frozen=True):
    """An address taken apart; what it does not say is empty. It is pasted, or was recorded.

    Attributes:
        base_url: where the paths of the document begin (line 142), without user and parameters.
        path: what follows, as it was pasted; empty where the address is no entry, appliance or list of some.
        ha_id, segment, key: the appliance, the segment and the key, decoded.
        maker: the first segment of the key, where the document has `Vendor` there (line 3).
        query: the parameters, in their order.
        user: name and password before the host.
    """

    base_url: str
    path: str = ""
    ha_id: str = ""
    segment: Segment | None = None
    key: str = ""
    maker: str = ""
    query: tuple[tuple[str, str], ...] = ()
    user: str = ""

    @property
    def is_of_an_entry(self) -> bool:
        """Whether one entry of one appliance is there, and nothing is below it (lines 146, 147)."""
        return bool(self.key) and self.path.count("/") == _ENTRY.count("/")


def address_of(url: str) -> Address:
    """The parts of `url`.

    Raises:
        PastedError: when it is none of HTTP, or names an entry outside the document's tree (lines 146, 147).
    """
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host:
        told = "the line names no address that begins with http:// or https://"
        unset = ": is a variable before its path not set?" if parts.scheme in {"http", "https"} else ""
        raise PastedError(f"{told}{unset}")
    user, _, place = parts.netloc.rpartition("@")
    root = f"{parts.scheme}://{place}"
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    before, tree, after = f"{parts.path}/".partition(f"{_TREE}/")
    if not tree:
        if any(maker_in(unquote(part)) for part in parts.path.split("/")):
            told = "the suite asks no other (lines 146, 147)"
            raise PastedError(
                f"the path of the address is not {_TREE}/{{haId}}/settings/{{key}} of the document: {told}"
            )
        prefix = parts.path.rstrip("/").removesuffix("/api")
        return Address(root + prefix, query=query, user=unquote(user))
    ha_id, segment, key, *_ = (*map(unquote, after.split("/")), "", "", "")
    is_read = ha_id != "events" and segment in {"", *_SEGMENTS}
    return Address(
        base_url=root + before,
        path=parts.path.removeprefix(before).rstrip("/") if is_read else "",
        ha_id="" if ha_id == "events" else ha_id,
        segment=_SEGMENTS.get(segment),
        key=key if segment in _SEGMENTS else "",
        maker=maker_in(key) if segment in _SEGMENTS else "",
        query=query,
        user=unquote(user),
    )


def maker_in(text: str) -> str:
    """The maker's name with which a key begins that is one of the document but for that name; else empty."""
    first, _, rest = text.partition(".")
    return first if f"{STAND_IN}.{rest}" in CATALOG.entries else ""
