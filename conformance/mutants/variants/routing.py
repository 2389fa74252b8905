"""Odd ways to take a path apart: servers that take more spellings of a name, or refuse whatever is odd.

> path parameters haId (string) and settingKey (a setting key from the table)
"""

import posixpath
import re
import unicodedata
from functools import partial
from urllib.parse import quote, unquote

from msgspec.structs import replace

from catalog import keys
from catalog.model import Segment
from conformance.mutants import document
from conformance.mutants.fleets import FRIDGE
from conformance.mutants.model import odd
from conformance.mutants.shapes.reads import gives
from conformance.mutants.shapes.requests import amends, ha_ids, intercepts, moved_to, paths
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Refusal, Reply, Route, dump

_TWO = (FRIDGE, replace(FRIDGE.having({keys.SETPOINT: 7, keys.FREEZER_SETPOINT: -21}), ha_id="fridge-9"))
_GENERATED = {"pace": {"generated_reads": 60}}
_FOLLOWED = {**_GENERATED, "http": {"follow_redirects": True}}
_PLAIN = re.compile(r"[A-Za-z0-9./-]*")
_SELDOM = 41
_LONGEST = 255
_TOO_LONG = Refusal(414, "414", "The path is longer than this server reads")
_ODD = Refusal(400, "400", "The request is not understood")
_PAGE = b"<!doctype html><title>Blocked</title><p>Your request was blocked. Incident 4711."
_BLOCKED = Reply(200, _PAGE, "text/html")
_DESCRIBED = Reply(200, dump({"data": {"value": "GET, HEAD, OPTIONS"}}), headers={"Allow": "GET, HEAD"})

_METHODS = {"HEAD": Reply(501, media_type=None), "OPTIONS": Reply(0, drop=True)}

odd = partial(
    odd, knowledges=("L2",), fleet=_TWO, profile_extras=_GENERATED, allowed=document.KEY_OF_THE_TABLE
)


def _is_odd(request: Incoming) -> bool:
    """Whether a request is none that the document shows."""
    return request.method not in {"GET", "PUT"} or not _PLAIN.fullmatch(request.path + request.query)


def _trimmed(path: str) -> str:
    parts = [quote(unquote(part).strip(" ."), safe="") for part in path.split("/")]
    return "/" + "/".join(part for part in parts if part)


def _to_the_plain_path(request: Incoming) -> Reply | None:
    plain = re.sub("/+", "/", re.sub(";[^/]*", "", request.path)).rstrip("/.")
    return None if plain == request.path else moved_to(request, plain)


def _to_the_key(request: Incoming) -> Reply | None:
    """The redirection of a longer key to the one that it begins with, or of any other spelling."""
    stem = next((key for key in FRIDGE.values if f"/{key}" in request.path), "")
    head, _, rest = request.path.partition(f"/{stem}") if stem else ("", "", "")
    if rest.isalpha():
        return moved_to(request, f"{head}/{stem}")
    return _to_the_plain_path(request)


def _broken(request: Incoming) -> Reply | None:
    if "%00" in request.path:
        return Reply(0, drop=True)
    odd = not unquote(unquote(request.path)).isascii()
    return Reply(500, b"oops", "text/plain") if odd else None


class KeysInAnyCase(Service):
    def canonical(self, appliance: Appliance, text: str) -> str:
        plain = super().canonical(appliance, text)
        return next((key for key in self.entries if key.casefold() == plain.casefold()), plain)


class NamesDecodedTwice(Service):
    def route(self, request: Incoming) -> Route | None:
        found = super().route(request)
        if found is None or found.ha_id is None or found.key is None:
            return found
        return replace(found, ha_id=unquote(found.ha_id), key=unquote(found.key))


def _of_its_own(its: Service, appliance: Appliance, _: Segment, key: str) -> Reply | None:
    known = [one.split(".") for one in appliance.values]
    own = {parts[-1] for parts in known} | {".".join([parts[0], *parts[2:]]) for parts in known}
    return its.show({"key": key, "value": True}) if key in own else None


def _in_the_language_asked_for(reply: Reply, request: Incoming) -> Reply:
    is_german = request.headers.get("accept-language", "").startswith("de")
    return replace(reply, body=reply.body.replace(b"temperature", b"Temperatur")) if is_german else reply


class LockSwitchesByItself(Service):
    lookups = 0

    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        self.lookups += 1
        if found is not None and keys.CHILD_LOCK in found.values and not self.lookups % _SELDOM:
            found.values[keys.CHILD_LOCK] = not found.values[keys.CHILD_LOCK]
        return found


# fmt: off
odd(KeysInAnyCase, "keys-in-any-case", "ADDR-UNKNOWNKEY", "Keys are looked up without regard to case.")
odd(ha_ids(str.casefold), "ha-ids-in-any-case", "ADDR-HAID", "HaIds are looked up without regard to case.")
odd(paths(_trimmed), "ends-of-names-trimmed", "ADDR-UNKNOWNKEY",
    "Spaces, dots and slashes at the ends of names are dropped.")
odd(paths(lambda path: posixpath.normpath(re.sub("/+", "/", re.sub("(?i)%2e", ".", path)))),
    "paths-normalized", "ADDR-HAID",
    "A proxy merges slashes and resolves dot segments, as RFC 3986 lets it, before the path is routed.")
odd(intercepts(_to_the_plain_path), "redirects-to-the-plain-path", "ADDR-UNKNOWNKEY",
    "Any other spelling is redirected to the plain one.")
odd(intercepts(_to_the_key), "redirects-are-followed", "ADDR-UNKNOWNKEY",
    "Another spelling, or a longer key, is redirected to a plain one, which the profile lets be followed.",
    profile_extras=_FOLLOWED)
odd(intercepts(lambda asked: _TOO_LONG if len(asked.path) > _LONGEST else None), "long-paths-refused",
    "PROT-ERRORS", "Paths of more than 255 characters are answered with 414.")
odd(intercepts(lambda asked: _ODD if _is_odd(asked) else None), "odd-requests-refused", "PROT-ERRORS",
    "Whatever is not a plain request is answered with 400.")
odd(intercepts(lambda asked: _BLOCKED if _is_odd(asked) else None), "odd-requests-blocked", "ADDR-UNKNOWNKEY",
    "A firewall answers whatever is not a plain request with a page of its own, and 200.")
odd(intercepts(_broken), "odd-requests-break", "PROT-ERRORS",
    "Names with a character outside ASCII are answered with 500, and those with a null byte not at all.")
odd(intercepts(lambda asked: _METHODS.get(asked.method)), "head-unheard-of", "READ-SAFE",
    "HEAD is answered with 501, and OPTIONS by closing the connection.")
odd(intercepts(lambda asked: _DESCRIBED if asked.method == "OPTIONS" else None), "options-described",
    "READ-SAFE", "OPTIONS is answered with a description that stands where values stand.")
odd(paths(lambda path: unicodedata.normalize("NFKC", unquote(path))), "normal-forms-alike", "ADDR-UNKNOWNKEY",
    "Names are brought into a normal form of Unicode, in which full-width letters are the common ones.")
odd(NamesDecodedTwice, "names-decoded-twice", "ADDR-UNKNOWNKEY",
    "Each name is decoded twice, after the path was taken apart.")
odd(paths(lambda path: re.sub(";[^/]*", "", path).removesuffix(".json")), "parameters-and-extensions-dropped",
    "ADDR-UNKNOWNKEY", "Parameters of path segments and the extension .json of a key are dropped.")
odd(amends(_in_the_language_asked_for), "texts-in-the-language-asked-for", "TYPE-DOUBLE",
    "Descriptions come in the language that a request asks for.", allowed=document.DESCRIPTION)
odd(LockSwitchesByItself, "lock-switched-by-somebody", "READ-SAFE",
    "Somebody switches the child lock from time to time.", allowed=document.DEVICE_ACTS)
odd(gives(_of_its_own), "keys-of-its-own", "ADDR-UNKNOWNKEY",
    "The last segment of a key, or a key without its second segment, is an entry of the server's own.")
