"""Reads a command line of curl as people paste it: from a shell, a browser, a chat, or already taken apart.

Only what says where and as whom is asked is kept. What curl does beside that is left out, and what a run
cannot do in the same way is named (`left_out`). No error repeats a word of the line: it may hold a secret.
"""

import os
import re
import shlex
from collections.abc import Sequence
from urllib.parse import quote_plus

from msgspec import Struct

_SHORT = {
    "A": "user-agent",
    "b": "cookie",
    "E": "cert",
    "H": "header",
    "K": "config",
    "X": "request",
    "d": "data",
    "e": "referer",
    "k": "insecure",
    "L": "location",
    "G": "get",
    "n": "netrc",
    "u": "user",
    "x": "proxy",
}
"""The short options that this module knows by their long names."""
_SHORT_WITH_VALUE = frozenset("ACDEFHKPQTUXYbcdehmortuwxyz")
_WITH_VALUE = re.compile(
    r"abstract-unix-socket|alt-svc|aws-sigv4|cacert|capath|cert|cert-type|ciphers|config|connect-timeout|"
    r"connect-to|continue-at|cookie|cookie-jar|create-file-mode|crlfile|curves|data|data-ascii|data-binary|"
    r"data-raw|data-urlencode|delegation|dns-interface|dns-ipv4-addr|dns-ipv6-addr|dns-servers|doh-url|"
    r"dump-header|egd-file|engine|etag-compare|etag-save|expect100-timeout|form|form-string|"
    r"happy-eyeballs-timeout-ms|header|hostpubmd5|hostpubsha256|hsts|interface|json|keepalive-time|key|"
    r"key-type|krb|libcurl|limit-rate|local-port|login-options|max-filesize|max-redirs|max-time|netrc-file|"
    r"noproxy|oauth2-bearer|output|output-dir|parallel-max|pass|pinnedpubkey|preproxy|proto|proto-default|"
    r"proto-redir|proxy|proxy-cacert|proxy-cert|proxy-header|proxy-key|proxy-pass|proxy-user|proxy1\.0|"
    r"quote|random-file|range|rate|referer|request|request-target|resolve|retry|retry-delay|retry-max-time|"
    r"sasl-authzid|service-name|socks4|socks4a|socks5|socks5-hostname|speed-limit|speed-time|stderr|"
    r"time-cond|tls-max|tls13-ciphers|tlspassword|tlsuser|trace|trace-ascii|trace-config|unix-socket|"
    r"upload-file|url|url-query|user|user-agent|variable|write-out"
)
"""The options of curl that a value follows; any other one stands alone."""
_UNLIKE_A_RUN = re.compile(
    r"abstract-unix-socket|aws-sigv4|config|connect-to|digest|doh-url|interface|negotiate|netrc|netrc-file|"
    r"netrc-optional|ntlm|preproxy|proxy|proxy1\.0|request-target|resolve|socks4|socks4a|socks5|"
    r"socks5-hostname|unix-socket"
)
"""Options without which the address may not be reached, or not let in."""
_DATA = ("data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "form", "json", "upload-file")
_PLAIN = str.maketrans({"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'", "\u00a0": " "})
"""What chats make of quotes and spaces."""
_ENDS = frozenset({"|", "||", "&", "&&", ";"})
_REDIRECTED = re.compile(r"\d?[<>]")
_ANSI_QUOTED = re.compile(r"(?<!\S)\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_CONTINUED = re.compile(r"[\\`][ \t]*\r?\n")
_CONTINUED_IN_CMD = re.compile(r"\^[ \t]*\r?\n|\^\"")
_CURL = re.compile(r"(.*[/\\])?curl(\.exe)?", re.IGNORECASE)
VARIABLE = re.compile(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
"""A variable as a line has it that no shell has read."""
_LOGIN = re.compile(r"(\w+://)?[^/]*@")


class PastedError(Exception):
    """What was pasted cannot be used; the text says why, and what to do."""


class CurlLine(Struct, frozen=True):
    """What a line asks for, and as whom.

    Attributes:
        url: the address, with its parameters; secrets included.
        headers: its headers in their order, also what options of their own say: a cookie, a bearer token.
        user: name and password, as `name:password`; empty without.
        insecure, follows: whether any certificate will do, and whether redirects are followed.
        verify: the file with the authority of the server; empty without.
        client_cert: certificate and key.
        writes: whether the line itself sends something; then only its address is used.
        left_out: the options that a run does not follow, by name.
    """

    url: str
    headers: tuple[tuple[str, str], ...] = ()
    user: str = ""
    insecure: bool = False
    follows: bool = False
    verify: str = ""
    client_cert: tuple[str, ...] = ()
    writes: bool = False
    left_out: tuple[str, ...] = ()


def filled(text: str) -> str:
    """A text of a line with the values of its variables, which are taken from the environment.

    Raises:
        PastedError: when one is not set.
    """
    names = VARIABLE.findall(text)
    if unset := next((name for name in names if not os.environ.get(name)), ""):
        raise PastedError(f"the line names ${unset}, which is not set in the environment: export it")
    return filled_where_set(text)


def filled_where_set(text: str) -> str:
    """A text of a line with the values of those of its variables that the environment has."""
    return VARIABLE.sub(lambda found: os.environ.get(found[1]) or found[0], text)


def curl_line(words: Sequence[str]) -> CurlLine:
    """The line that these words are: one text as it was pasted, or the words that a shell has made of it.

    Raises:
        PastedError: when it is no line of curl, asks for nothing, or its address names a variable that is not
            set.
    """
    values: dict[str, list[str]] = {}
    urls: list[str] = []
    waiting = _words_of(words)
    while waiting:
        word = waiting.pop(0)
        if not word.startswith("-") or word == "-":
            urls.append(word)
            continue
        for name, value in _options(word, waiting):
            values.setdefault(name, []).append(value)
    urls += values.get("url", [])
    if not urls:
        raise PastedError("the line names no address: paste all of it")
    data = [value for name in _DATA for value in values.get(name, ())]
    parameters = [*values.get("url-query", ()), *(data if "get" in values else ())]
    method = values.get("request", ["GET"])[-1]
    certificate = [value for name in ("cert", "key") for value in values.get(name, ())[-1:]]
    return CurlLine(
        url=_with_parameters(_chosen(urls), parameters),
        headers=tuple(_headers(values)),
        user=values.get("user", [""])[-1],
        insecure="insecure" in values,
        follows="location" in values or "location-trusted" in values,
        verify=values.get("cacert", [""])[-1],
        client_cert=tuple(certificate),
        writes=method.upper() not in {"GET", "HEAD"} or bool(data and "get" not in values),
        left_out=tuple(sorted(filter(_UNLIKE_A_RUN.fullmatch, values))),
    )


def _words_of(words: Sequence[str]) -> list[str]:
    """The words after `curl`, up to what a shell does with its output."""
    taken = list(words) if len(words) > 1 else _split(words[0] if words else "")
    start = next((index for index, word in enumerate(taken) if _CURL.fullmatch(word)), None)
    if start is None and not (len(taken) == 1 and "://" in taken[0]):
        what = "it has no word curl, and is no address alone" if taken else "it is empty"
        raise PastedError(f"that is no line of curl: {what}")
    rest = taken if start is None else taken[start + 1 :]
    end = next((at for at, word in enumerate(rest) if word in _ENDS or _REDIRECTED.match(word)), len(rest))
    return rest[:end]


def _split(text: str) -> list[str]:
    """The words that a shell, or the command interpreter of Windows, would make of a text."""
    text = text.translate(_PLAIN)
    if _CONTINUED_IN_CMD.search(text):
        text = re.sub(r"\^(.)", r"\1", re.sub(r"\^[ \t]*\r?\n", " ", text))
    text = _ANSI_QUOTED.sub(lambda found: shlex.quote(_unescaped(found[1])), _CONTINUED.sub(" ", text))
    text = re.sub(r"(?<!\S)\u2014(?=\w)", "--", re.sub(r"(?<!\S)\u2013(?=\w)", "-", text))
    try:
        return shlex.split(text)
    except ValueError:
        raise PastedError("a quotation mark of the line has no second one: paste all of it") from None


def _unescaped(text: str) -> str:
    """A text of a shell's `$'...'` without its escapes."""
    return text.encode("latin-1", "backslashreplace").decode("unicode_escape")


def _options(word: str, waiting: list[str]) -> list[tuple[str, str]]:
    """The options in a word, by long name, each with its value, which may be the next word."""
    if word.startswith("--"):
        name, equals, value = word[2:].partition("=")
        if _WITH_VALUE.fullmatch(name):
            return [(name, value if equals else waiting.pop(0) if waiting else "")]
        return [(name, "")]
    found: list[tuple[str, str]] = []
    for index, letter in enumerate(word[1:], 2):
        name = _SHORT.get(letter, f"-{letter}")
        if letter in _SHORT_WITH_VALUE:
            value = word[index:]
            return [*found, (name, value or (waiting.pop(0) if waiting else ""))]
        found.append((name, ""))
    return found


def _headers(values: dict[str, list[str]]) -> list[tuple[str, str]]:
    """The headers of a line, also those that options of their own make."""
    found: list[tuple[str, str]] = []
    for text in values.get("header", ()):
        name, _, value = text.partition(":")
        if value.strip() and not text.startswith("@"):
            found.append((name.strip(), value.strip()))
    found += [("Cookie", text) for text in values.get("cookie", ()) if "=" in text]
    found += [("Authorization", f"Bearer {token}") for token in values.get("oauth2-bearer", ())]
    return found


def _chosen(urls: Sequence[str]) -> str:
    """The address that is meant among several; curl takes one without a scheme as http.

    A query and a login may have dollar signs of their own.
    """
    path, mark, query = next((one for one in urls if "homeappliances" in one), urls[0]).partition("?")
    login = found[0] if (found := _LOGIN.match(path)) else ""
    url = f"{login}{filled(path[len(login) :])}{mark}{query}"
    return url if "://" in url else f"http://{url}"


def _with_parameters(url: str, parameters: Sequence[str]) -> str:
    parts = [
        f"{quote_plus(name)}={quote_plus(value)}"
        for name, _, value in (one.partition("=") for text in parameters for one in text.split("&"))
    ]
    return "".join((url, "&" if "?" in url else "?", "&".join(parts))) if parts else url
