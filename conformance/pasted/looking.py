"""The few reads that find what a pasted line does not say: which appliance, whose keys, what kind.

    the address of the line   is anybody let in?
    the list of appliances    only where the line names none
    both lists, the portrait  which keys there are, the maker's name, the kind
    a dozen keys              only where no list and no word tells the kind: those that some kind alone has

The document shows neither lists nor portraits (line 151), so what they say is only ever inferred from.
"""

from collections.abc import Collection, Sequence
from contextlib import suppress
from urllib.parse import quote

from msgspec import Struct

from catalog import keys
from catalog.loader import CATALOG
from catalog.maker import STAND_IN
from conformance.checks.exchange import Exchange
from conformance.checks.reads.silence import first_line, silence_of
from conformance.harness.answers.decoding import MalformedError, decode
from conformance.harness.observing import Observations
from conformance.harness.steps import path_of
from conformance.harness.wire.building import resolved, same_origin
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.transport import Transport
from conformance.pasted.address import Address
from conformance.pasted.naming import Named, appliances_in, keys_in, kind_of, word_for_kind
from conformance.profiles.fields import parse_statuses
from conformance.profiles.kinds import UNNAMED, kind_called
from conformance.profiles.model import Profile

_APPLIANCES = "/api/homeappliances"
_SUCCESSES = parse_statuses("200-299")
_REDIRECTS = parse_statuses("300-399")
_REFUSALS = frozenset({401, 403, 407})
_SERVER_ERROR = 500
_TELLING = (
    keys.SETPOINT,
    keys.FREEZER_SETPOINT,
    keys.FRIDGE_DOOR,
    keys.FREEZER_DOOR,
    keys.COFFEE_COUNT,
    keys.CUP_WARMER,
    keys.LIGHTING,
    keys.COLOR_TEMPERATURE,
    keys.DOSING_1,
    keys.DUST_BOX,
    keys.CURRENT_MAP,
    keys.OVEN_SABBATH,
)
"""Keys that one kind alone has, and most appliances of it."""
_IN_A_ROW = 6
"""Keys that may be refused one after another; then the address of the line is read again."""


AS_SAID = "as you say"
OF_THE_LINE = "from the line"


class Fact(Struct, frozen=True):
    """Something that a run has to know, and how it is known, in words."""

    value: str
    why: str

    @property
    def is_inferred(self) -> bool:
        """Whether nobody has said it."""
        return self.why not in {AS_SAID, OF_THE_LINE}


def of_keys(count: int) -> str:
    """Why the kind is known that alone has so many of the keys that are served."""
    return f"from {count} keys that only this kind has" if count > 1 else "from a key that only this kind has"


class Looked(Struct):
    """What was found of an appliance; a fact that nothing shows is None.

    Attributes:
        ha_id, maker, kind: the facts.
        keys: the keys of the document that its lists name; none unless it has both.
        others: the haIds of other appliances that the target lists.
        trouble: why nothing more can be found, as a sentence; empty where nothing is in the way.
        requests: how many were sent.
    """

    ha_id: Fact | None = None
    maker: Fact | None = None
    kind: Fact | None = None
    keys: frozenset[str] = frozenset()
    others: Sequence[str] = ()
    trouble: str = ""
    requests: int = 0


class Looking:
    """Looks at a target, with as few reads as will do."""

    def __init__(self, transport: Transport, profile: Profile, address: Address) -> None:
        """Sends nothing yet; `profile` says how the target is talked to."""
        self._transport = transport
        self._profile = profile
        self._address = address
        self._bodies: dict[str, object] = {}
        self._asked: set[str] = set()
        self._first: Sent | None = None
        self.found = Looked()

    def find_appliance(self, said: str = "") -> None:
        """Finds the haId: as it is `said`, as the line says it, or the first that the target lists.

        One that is said to be away is taken only where no other one is listed.
        """
        if said or self._address.ha_id:
            why = AS_SAID if said else OF_THE_LINE
            self.found.ha_id = Fact(said or self._address.ha_id, why)
            return
        if listed := appliances_in(self._body(_APPLIANCES)):
            first = next((one for one in listed if not one.is_away), listed[0])
            self.found.others = tuple(one.ha_id for one in listed if one is not first)
            count = f"the first of {len(listed)} that" if len(listed) > 1 else "the one that"
            self.found.ha_id = Fact(first.ha_id, f"{count} {_APPLIANCES} lists")
            self._take_word(first)

    def look_at(self, maker: str = "", kind: str = "") -> None:
        """Finds the maker's name and the kind of the appliance, unless they are said."""
        assert self.found.ha_id
        ha_id = self.found.ha_id.value
        if self._address.path:
            self._body(self._address.path)
        if self.found.trouble:
            return
        lists = [
            self._body(f"{_APPLIANCES}/{quote(ha_id, safe='')}/{place}") for place in ("settings", "status")
        ]
        if not self._bodies and self._first:
            self.found.trouble = self._why_nothing(self._first)
            return
        named, inferred = keys_in(self._bodies.values())
        of_lists = [keys_in([body])[0] for body in lists]
        self.found.keys = frozenset[str]().union(*of_lists) if all(of_lists) else frozenset()
        known = maker or self._address.maker or inferred
        if known:
            why = AS_SAID if maker else OF_THE_LINE if self._address.maker else "as answers spell it"
            self.found.maker = Fact(known, why)
        elif any(of_lists):
            self.found.maker = Fact(STAND_IN, "no key that it lists begins with a maker's name")
        if kind:
            self.found.kind = Fact(kind, AS_SAID)
        elif not self._find_kind(named) and not self.found.keys:
            self._find_kind(self._telling())
        if self.found.kind is None:
            self.found.kind = Fact(UNNAMED, "nothing tells it, so every key of the document is asked for")

    def _find_kind(self, served: Collection[str]) -> bool:
        """Finds the kind by keys that it alone has, or by a word that the target has for it."""
        kind, count = kind_of(served)
        if kind:
            self.found.kind = Fact(kind, of_keys(count))
        elif self.found.kind is None:
            ha_id = self.found.ha_id.value if self.found.ha_id else ""
            word = word_for_kind(self._body(f"{_APPLIANCES}/{quote(ha_id, safe='')}"))
            self._take_word(Named(ha_id, word))
        return self.found.kind is not None

    def _take_word(self, named: Named) -> None:
        """Takes the word that the target has for the kind of an appliance, if it is one."""
        kind = kind_called(named.word)
        if kind:
            self.found.kind = Fact(kind, f"the target calls it {named.word}")

    def _telling(self) -> frozenset[str]:
        """The keys among a dozen that are answered with success."""
        ha_id = self.found.ha_id.value if self.found.ha_id else ""
        served: set[str] = set()
        for number, key in enumerate(_TELLING):
            segment = CATALOG.entries[key].segment
            if number == _IN_A_ROW and self._address.path in self._bodies:
                self._send(self._address.path)
            if self._body(path_of(ha_id, segment, key)) is not None:
                served.add(key)
        return frozenset(served)

    def _body(self, path: str) -> object:
        """What a path is answered with; None where that is no success, or no JSON."""
        if path in self._asked or self.found.trouble:
            return self._bodies.get(path)
        self._asked.add(path)
        sent = self._send(path)
        if sent.response and sent.response.status >= _SERVER_ERROR:
            sent = self._send(path)  # once is no sign of anything
        response = sent.response
        if response is None or response.status in _REFUSALS or response.status >= _SERVER_ERROR:
            self.found.trouble = "" if self._bodies else self._why(sent)
        elif response.status in _SUCCESSES and not response.cut:
            with suppress(MalformedError):
                self._bodies[path] = decode(response.body, response.charset, self._profile.http.limits)
        return self._bodies.get(path)

    def _send(self, path: str) -> Sent:
        self.found.requests += 1
        sent = self._transport.send(Wanted(path))[-1]
        self._first = self._first or sent
        return sent

    def _why_nothing(self, first: Sent) -> str:
        """Why no request was answered with JSON, where each was let in."""
        response = first.response
        if response is None or response.status in _SUCCESSES:
            return self._why(first)
        if response.status in _REDIRECTS:
            return self._why_elsewhere(first.request.url, response.status, response.header("location") or "")
        says = f"status {response.status}, {first_line(response.body)}"
        told = f"GET {first.request.url} is answered with no success ({says}), and neither are the lists"
        return f"{told} of the appliance: does the line still work, and is the appliance online?"

    def _why_elsewhere(self, asked: str, status: int, location: str) -> str:
        """Where an answer leads, and how to get there: a run keeps to one origin, as its token does."""
        place = first_line(location.encode()) or "nowhere"
        is_refused = self._profile.http.follow_redirects or not same_origin(resolved(asked, location), asked)
        elsewhere = "no run follows there: paste a line with the address at which curl -L ends"
        advice = elsewhere if is_refused else "if curl -L shows the entry, add -L to the line"
        return f"GET {asked} is redirected (status {status}, to {place}): {advice}"

    def _why(self, sent: Sent) -> str:
        """Why nothing can be read, in the words of a run that reads nothing."""
        ha_id = self._profile.appliance[0].ha_id
        place = ha_id, ha_id, keys.POWER_STATE, "settings"
        exchange = Exchange(1, "read", (), *place, sent.at, sent.request, sent.response, sent.failure)
        return silence_of(Observations(self._profile, [exchange]).views()[ha_id]).sentence
