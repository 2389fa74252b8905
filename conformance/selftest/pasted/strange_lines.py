"""The line that somebody has for each of these servers, and where it truly shows what.

They were written down before the inference was tuned, and the second table was not looked at while it was.
"""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from catalog import keys
from conformance.pasted.trying import Said
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.service import Service
from conformance.selftest.pasted.strange_servers import (
    COFFEE,
    COOKIE,
    FRIDGE,
    LOGIN,
    OVEN,
    ROBOT,
    SECRET,
    EnvelopeOfEachSegment,
    Guarded,
    Maps,
    OfABrowser,
    OnlyIds,
    TwoOfThem,
    WithoutLists,
    among_decoys,
    at,
    deep,
    wraps,
)

SETTING = "api/homeappliances/{ha_id}/settings"
BEARER = f"curl -H 'Authorization: Bearer {SECRET}' "
USUAL = dict(Service.answer_pointers)
BROWSER = (
    "curl '{url}/api/homeappliances/{ha_id}/status/BSH.Common.Status.DoorState' \\\n"
    "  -H 'accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' \\\n"
    "  -H 'accept-language: de-DE,de;q=0.9,en;q=0.8' \\\n"
    "  -H 'cache-control: max-age=0' \\\n"
    f"  -b 'consent=yes; sid={COOKIE}' \\\n"
    "  -H 'dnt: 1' \\\n"
    "  -H 'if-none-match: W/\"1-2\"' \\\n"
    "  -H 'priority: u=0, i' \\\n"
    "  -H 'referer: https://hub.example/' \\\n"
    '  -H $\'sec-ch-ua: "Chromium";v="142", "It\\\'s";v="99"\' \\\n'
    "  -H 'sec-fetch-mode: navigate' \\\n"
    "  -H 'upgrade-insecure-requests: 1' \\\n"
    "  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' \\\n"
    "  --compressed --insecure"
)


class Strange(Struct, frozen=True):
    """A server with a wire of its own, and the line that somebody has for it.

    Attributes:
        name, what: how it is called, and what is strange about it.
        service: the server.
        line: the line, with {url}, {host} and {ha_id} to be filled in.
        pointers: where it truly shows what.
        prefix: the path that its tree stands below.
        said: the fact that is typed beside the line, if one is.
        untold: the pointers that nothing in its answers tells.
    """

    name: str
    what: str
    service: type[Service]
    line: str
    pointers: Mapping[str, Any]
    prefix: str = ""
    said: Said = Said()
    untold: frozenset[str] = frozenset()

    @property
    def spec(self) -> ApplianceSpec:
        """The appliance that is meant: the last one of the server."""
        return self.service.fleet[-1]

    def pasted(self, base_url: str) -> str:
        """The line for the server at a base URL."""
        words = {
            "url": base_url + self.prefix,
            "host": base_url.partition("://")[2],
            "ha_id": self.spec.ha_id,
        }
        line = self.line
        for name, word in words.items():
            line = line.replace(f"{{{name}}}", word)
        return line


def moved(after: str, **others: str) -> dict[str, str]:
    """The usual pointers with another beginning, some of them elsewhere."""
    found = {name: pointer.replace("/data", after, 1) for name, pointer in USUAL.items()}
    return {**found, **others}


def only(pointers: Mapping[str, str], *names: str) -> dict[str, str]:
    """Some of these pointers."""
    return {name: pointers[name] for name in names}


POWER = f"{BEARER}{{url}}/{SETTING}/BSH.Common.Setting.PowerState"
_ENVELOPES = {**moved("/setting"), "status": only(moved("/status"), "value", "key", "type", "access")}
_UNRANGED = ("value", "key", "type", "allowed", "access", "description")
# fmt: off
TUNED = (
    Strange("plain", "The wire of the reference, of another maker.",
        at(Guarded, FRIDGE), POWER, USUAL),
    Strange("envelopes", "Settings and statuses have envelopes of their own.",
        at(EnvelopeOfEachSegment, FRIDGE), POWER,
        {**_ENVELOPES, "status": only(moved("/status"), *_UNRANGED)}),
    Strange("array", "The body is an array of the one entry.",
        at(wraps(lambda members: [members]), FRIDGE), POWER, moved("/0")),
    Strange("bare", "The body is the value.",
        at(wraps(lambda members: members["value"]), FRIDGE), POWER, {"value": ""}),
    Strange("prefix", "The tree of the document stands below a path.",
        at(Guarded, OVEN),
        f"curl -sS --oauth2-bearer {SECRET} '{{url}}/{SETTING}/BSH.Common.Setting.AlarmClock' | jq .", USUAL,
        prefix="/gateway/eu-1/hub"),
    Strange("list-of-settings", "The line asks for the list of settings.",
        at(Guarded, COFFEE), f"{BEARER}{{url}}/{SETTING}",
        only(USUAL, "value", "key", "unit", "type", "allowed", "access")),
    Strange("list-of-appliances", "The line asks for the list of appliances, of which the first is away.",
        at(TwoOfThem, FRIDGE, ROBOT), f"{BEARER}{{url}}/api/homeappliances", USUAL),
)
HELD_OUT = (
    Strange("browser", "A browser's line with a cookie; statuses are shaped otherwise.",
        at(OfABrowser, FRIDGE), BROWSER,
        {**USUAL, "status": {"value": "/data/state/value", "key": "/data/id"}}),
    Strange("maps", "Appliances and entries are listed as maps; the line has only the base URL.",
        at(Maps, FRIDGE), f"{BEARER}{{url}}",
        {"value": "/current", "key": "/name", "unit": "/unit", "min": "/range/0", "max": "/range/1",
         "allowed": "/choices"}, prefix="/hub", untold=frozenset({"min", "max"})),
    Strange("deep", "The value stands five levels down, beside a time.",
        at(wraps(deep), FRIDGE), POWER,
        {"value": "/result/payload/entry/state/current", "key": "/result/payload/entry/key",
         "unit": "/result/payload/entry/state/unit", "min": "/result/payload/entry/limits/lower",
         "max": "/result/payload/entry/limits/upper", "step": "/result/payload/entry/limits/increment"}),
    Strange("without-lists", "There are no lists, and the key of the line does not name the maker.",
        at(WithoutLists, FRIDGE), f"{BEARER}{{url}}/{SETTING}/{keys.SETPOINT}", USUAL,
        said=Said(vendor="BSH")),
    Strange("decoys", "Beside the value stand an earlier one, a default, a time, a revision.",
        at(wraps(among_decoys), FRIDGE), POWER,
        {"value": "/value", "key": "/key", "unit": "/unit", "type": "/type", "description": "/name"}),
    Strange("equals", "The value stands beside the one before, and nothing tells them apart.",
        at(wraps(lambda its: {"of": its["key"], "is": its["value"], "was": its["value"]}), FRIDGE), POWER,
        {"value": "/is", "key": "/of"}, said=Said(value="/is")),
    Strange("only-ids",
        "Name and password stand in the address, and appliances are listed by their haId alone.",
        at(OnlyIds, OVEN), f"curl http://{LOGIN}@{{host}}/api/homeappliances", USUAL),
)
