"""Odd ways to take a path apart: servers that take more spellings of a name, or refuse whatever is odd.

> path parameters haId (string) and settingKey (a setting key from the table)
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote, unquote

from catalog import keys
from conformance.mutants.fleets import FRIDGE
from conformance.mutants.model import add_variant
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Refusal, Reply, Route, dump

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.profile import Knowledge

_READ: tuple[Knowledge, ...] = ("L2",)
_PLAIN = re.compile(r"[A-Za-z0-9./-]*")
_SELDOM = 41
_LONGEST = 255
_TOO_LONG = Refusal(414, "414", "The path is longer than this server reads")
_ODD = Refusal(400, "400", "The request is not understood")
_PAGE = b"<!doctype html><title>Blocked</title><p>Your request was blocked. Incident 4711."


class Routing(Service):
    """Two refrigerators with different temperatures, each asked what no table names."""

    fleet = (FRIDGE, replace(FRIDGE.having({keys.SETPOINT: 7, keys.FREEZER_SETPOINT: -21}), ha_id="fridge-9"))
    profile_extras: ClassVar[Mapping[str, object]] = MappingProxyType({"pace": {"generated_reads": 59}})

    def is_odd(self, request: Incoming) -> bool:
        """Whether a request is none that the document shows."""
        return request.method not in {"GET", "PUT"} or not _PLAIN.fullmatch(request.path + request.query)


class KeysInAnyCase(Routing):
    def canonical(self, appliance: Appliance, text: str) -> str:
        plain = super().canonical(appliance, text)
        return next((key for key in self.entries if key.casefold() == plain.casefold()), plain)


class HaIdsInAnyCase(Routing):
    def find(self, ha_id: str) -> Appliance | None:
        return super().find(ha_id.casefold())


class EndsOfNamesTrimmed(Routing):
    def route(self, request: Incoming) -> Route | None:
        parts = [quote(unquote(part).strip(" ."), safe="") for part in request.path.split("/")]
        return super().route(replace(request, path="/" + "/".join(part for part in parts if part)))


class PathsNormalized(Routing):
    def answer(self, request: Incoming) -> Reply:
        plain = re.sub("%2e", ".", request.path, flags=re.IGNORECASE)
        return super().answer(replace(request, path=posixpath.normpath(re.sub("/+", "/", plain))))


class RedirectsToThePlainPath(Routing):
    def answer(self, request: Incoming) -> Reply:
        plain = re.sub("/+", "/", re.sub(";[^/]*", "", request.path)).rstrip("/.")
        if plain == request.path:
            return super().answer(request)
        return Reply(308, media_type=None, headers={"Location": request.prefix + plain})


class RedirectsAreFollowed(RedirectsToThePlainPath):
    profile_extras: ClassVar[Mapping[str, object]] = MappingProxyType(
        {"pace": {"generated_reads": 59}, "http": {"follow_redirects": True}}
    )

    def answer(self, request: Incoming) -> Reply:
        stem = next((key for key in self.fleet[0].values if f"/{key}" in request.path), "")
        head, _, rest = request.path.partition(f"/{stem}") if stem else ("", "", "")
        if rest.isalpha():
            return Reply(308, media_type=None, headers={"Location": f"{request.prefix}{head}/{stem}"})
        return super().answer(request)


class LongPathsRefused(Routing):
    def answer(self, request: Incoming) -> Reply:
        return self.refuse(_TOO_LONG) if len(request.path) > _LONGEST else super().answer(request)


class OddRequestsRefused(Routing):
    def answer(self, request: Incoming) -> Reply:
        return self.refuse(_ODD) if self.is_odd(request) else super().answer(request)


class OddRequestsBlocked(Routing):
    def answer(self, request: Incoming) -> Reply:
        return Reply(200, _PAGE, "text/html") if self.is_odd(request) else super().answer(request)


class OddRequestsBreak(Routing):
    def answer(self, request: Incoming) -> Reply:
        if "%00" in request.path:
            return Reply(0, drop=True)
        odd = not unquote(unquote(request.path)).isascii()
        return Reply(500, b"oops", "text/plain") if odd else super().answer(request)


class HeadUnheardOf(Routing):
    def answer(self, request: Incoming) -> Reply:
        if request.method == "HEAD":
            return Reply(501, media_type=None)
        return Reply(0, drop=True) if request.method == "OPTIONS" else super().answer(request)


class OptionsDescribed(Routing):
    def answer(self, request: Incoming) -> Reply:
        if request.method != "OPTIONS":
            return super().answer(request)
        return Reply(200, dump({"data": {"value": "GET, HEAD, OPTIONS"}}), headers={"Allow": "GET, HEAD"})


class NormalFormsAlike(Routing):
    def route(self, request: Incoming) -> Route | None:
        return super().route(replace(request, path=unicodedata.normalize("NFKC", unquote(request.path))))


class NamesDecodedTwice(Routing):
    def route(self, request: Incoming) -> Route | None:
        found = super().route(request)
        if found is None or found.ha_id is None or found.key is None:
            return found
        return replace(found, ha_id=unquote(found.ha_id), key=unquote(found.key))


class ParametersAndExtensionsDropped(Routing):
    def route(self, request: Incoming) -> Route | None:
        return super().route(replace(request, path=re.sub(";[^/]*", "", request.path).removesuffix(".json")))


class KeysOfItsOwn(Routing):
    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        known = [one.split(".") for one in appliance.values]
        own = {parts[-1] for parts in known} | {".".join([parts[0], *parts[2:]]) for parts in known}
        if key in own:
            return Reply(200, dump({"data": {"key": key, "value": True}}))
        return super().read(appliance, segment, key)


class TextsInTheLanguageAskedFor(Routing):
    def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
        reply = super().visit(request, appliance, route)
        is_german = request.headers.get("accept-language", "").startswith("de")
        return replace(reply, body=reply.body.replace(b"temperature", b"Temperatur")) if is_german else reply


class LockSwitchesByItself(Routing):
    lookups = 0

    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        self.lookups += 1
        if found is not None and not self.lookups % _SELDOM:
            found.values[keys.CHILD_LOCK] = not found.values[keys.CHILD_LOCK]
        return found


odd = partial(add_variant, __name__, knowledges=_READ)

# fmt: off
odd(KeysInAnyCase, "keys-in-any-case", "ADDR-UNKNOWNKEY", "Keys are looked up without regard to case.")
odd(HaIdsInAnyCase, "ha-ids-in-any-case", "ADDR-HAID", "HaIds are looked up without regard to case.")
odd(EndsOfNamesTrimmed, "ends-of-names-trimmed", "ADDR-UNKNOWNKEY",
    "Spaces, dots and slashes at the ends of names are dropped.")
odd(PathsNormalized, "paths-normalized", "ADDR-HAID",
    "A proxy merges slashes and resolves dot segments, as RFC 3986 lets it, before the path is routed.")
odd(RedirectsToThePlainPath, "redirects-to-the-plain-path", "ADDR-UNKNOWNKEY",
    "Any other spelling is redirected to the plain one.")
odd(RedirectsAreFollowed, "redirects-are-followed", "ADDR-UNKNOWNKEY",
    "Another spelling, or a longer key, is redirected to a plain one, which the profile lets be followed.")
odd(LongPathsRefused, "long-paths-refused", "PROT-ERRORS",
    "Paths of more than 255 characters are answered with 414.")
odd(OddRequestsRefused, "odd-requests-refused", "PROT-ERRORS",
    "Whatever is not a plain request is answered with 400.")
odd(OddRequestsBlocked, "odd-requests-blocked", "ADDR-UNKNOWNKEY",
    "A firewall answers whatever is not a plain request with a page of its own, and 200.")
odd(OddRequestsBreak, "odd-requests-break", "PROT-ERRORS",
    "Names with a character outside ASCII are answered with 500, and those with a null byte not at all.")
odd(HeadUnheardOf, "head-unheard-of", "READ-SAFE",
    "HEAD is answered with 501, and OPTIONS by closing the connection.")
odd(OptionsDescribed, "options-described", "READ-SAFE",
    "OPTIONS is answered with a description that stands where values stand.")
odd(NormalFormsAlike, "normal-forms-alike", "ADDR-UNKNOWNKEY",
    "Names are brought into a normal form of Unicode, in which full-width letters are the common ones.")
odd(NamesDecodedTwice, "names-decoded-twice", "ADDR-UNKNOWNKEY",
    "Each name is decoded twice, after the path was taken apart.")
odd(ParametersAndExtensionsDropped, "parameters-and-extensions-dropped", "ADDR-UNKNOWNKEY",
    "Parameters of path segments and the extension .json of a key are dropped.")
odd(TextsInTheLanguageAskedFor, "texts-in-the-language-asked-for", "TYPE-DOUBLE",
    "Descriptions come in the language that a request asks for.")
odd(LockSwitchesByItself, "lock-switched-by-somebody", "READ-SAFE",
    "Somebody switches the child lock from time to time.")
odd(KeysOfItsOwn, "keys-of-its-own", "ADDR-UNKNOWNKEY",
    "The last segment of a key, or a key without its second segment, is an entry of the server's own.")
# fmt: on
