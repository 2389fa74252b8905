"""A line of curl is read as the shell that it is from would read it, and its secrets become variables; where
`try` takes it from, and what it asks beside it.
"""

import io
import json
import sys
from base64 import b64encode
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from conformance.pasted.address import address_of
from conformance.pasted.credentials import Credentials, credentials_of
from conformance.pasted.curl_line import PastedError, curl_line

URL = "https://hub.example/api/homeappliances/HCS-123/settings/BSH.Common.Setting.PowerState"
TOKEN = "open-sesame-4711"
BEARER = ("Authorization", f"Bearer {TOKEN}")
LINES = {
    "of a colleague": f"curl -H 'Authorization: Bearer {TOKEN}' {URL}",
    "with a prompt": f'$ curl -sSkL -H "Authorization: Bearer {TOKEN}" {URL}',
    "from a script": f"sudo /usr/bin/curl -f -H 'Authorization: Bearer {TOKEN}' {URL} 2>/dev/null | jq .",
    "in one word": f"curl -H'Authorization: Bearer {TOKEN}' --url={URL} -o /dev/null",
    "over lines": f"curl \\\n  -X GET \\\n  -H 'Authorization: Bearer {TOKEN}' \\ \n  --compressed {URL}\n",
    "of cmd": f'curl "{URL}" ^\r\n  -H "Authorization: Bearer {TOKEN}" ^\r\n  --compressed',
    "of cmd, escaped": f'curl ^"{URL}^" ^\r\n  -H ^"Authorization: Bearer {TOKEN}^" ^\r\n  -m 10',
    "of PowerShell": f"curl.exe `\n -H 'Authorization: Bearer {TOKEN}' `\n {URL}",
    "quoted as in bash": f"curl -H $'Authorization: Bearer {TOKEN}' -H $'x: it\\'s \\u00e4' {URL}",
    "of a chat": f"curl \u2013H \u201cAuthorization: Bearer {TOKEN}\u201d \u2014compressed {URL}",
    "by an option of its own": f"curl --oauth2-bearer {TOKEN} --connect-timeout 5 {URL}",
    "with unknown options": f"curl --brand-new -H 'Authorization: Bearer {TOKEN}' -w '%{{http_code}}' {URL}",
}


@pytest.mark.parametrize("name", LINES)
def test_line_is_read(name: str) -> None:
    """Address and token are the same, whoever has written the line."""
    line = curl_line([LINES[name]])
    assert (line.url, BEARER in line.headers) == (URL, True)


READ: list[tuple[list[str], dict[str, object]]] = [
    (["curl", "-H", f"Authorization: Bearer {TOKEN}", URL], {"headers": (BEARER,), "url": URL}),
    ([URL], {"url": URL}),
    (["curl hub.local/api"], {"url": "http://hub.local/api"}),
    ([f"curl -X PUT -d '{{}}' {URL}"], {"writes": True}),
    (
        [f"curl -G -d access_token={TOKEN} --data-urlencode 'lang=de AT' {URL}"],
        {"writes": False, "url": f"{URL}?access_token={TOKEN}&lang=de+AT"},
    ),
    ([f"curl -x http://proxy --resolve hub:1:2 {URL}"], {"left_out": ("proxy", "resolve")}),
]


@pytest.mark.parametrize(("words", "read"), READ)
def test_line_says_what_it_asks(words: list[str], read: dict[str, object]) -> None:
    """Also in the words of a shell that has split it, or as an address alone. What it sends is left out, and
    parameters that -G makes of it stand in the address; so do options that a run does not follow.
    """
    line = curl_line(words)
    assert {name: getattr(line, name) for name in read} == read


@pytest.mark.parametrize(
    ("path", "base", "expected"),
    [
        ("/api/homeappliances/H%201/status/BSH.Common.Status.DoorState", "", ("H 1", "status", "BSH")),
        ("/hub/v2/api/homeappliances/H/settings", "/hub/v2", ("H", "settings", "")),
        ("/api/homeappliances/H/settings/Refrigeration.Common.Setting.EcoMode", "", ("H", "settings", "")),
        ("/api/homeappliances/H/programs/active", "", ("H", None, "")),
        ("/api/homeappliances/events", "", ("", None, "")),
        ("/hub/api/homeappliances/", "/hub", ("", None, "")),
        ("/hub/api", "/hub", ("", None, "")),
        ("", "", ("", None, "")),
    ],
)
def test_address_is_taken_apart(path: str, base: str, expected: tuple[str, str | None, str]) -> None:
    """It ends before the tree of the document; appliance, segment and maker stand in what follows."""
    address = address_of(f"https://ann:pass@hub.example:8443{path}?a=1#x")
    assert (address.ha_id, address.segment, address.maker) == expected
    assert (address.base_url, address.query) == (f"https://hub.example:8443{base}", (("a", "1"),))
    assert address.user == "ann:pass"


def credentials(text: str) -> Credentials:
    """What a line shows itself with."""
    line = curl_line([text])
    return credentials_of(line, address_of(line.url))


VARIABLES = {
    "HUB_TOKEN": TOKEN,
    "HUB_VERSION": "2.14",
    "NAME": "ann",
    "SIGN": "pa$ss",
    "HUB": "https://hub.example",
}
"""What stands in the environment where nothing is to be missed."""
LOGIN = b64encode(b"ann:pa$ss").decode()
TYPED = "-k -L -H 'Accept: application/vnd.x+json' -H 'Api-Version: 2024-11-01' -H 'X-Tenant: 42'"
SEVERAL = f"-H 'Authorization: Bearer {TOKEN}' '{URL}?token=another-{TOKEN}&X-Api_Key=third-{TOKEN}'"
CACHED = (
    "-H 'sec-fetch-mode: cors' -H 'If-None-Match: abcdefghijk' -H 'Host: hub' -H 'Accept: text/html, */*'"
)


def shown(**headers: str) -> dict[str, object]:
    """The table of a profile with these headers."""
    return {"auth": {"headers": {name.replace("_", "-"): value for name, value in headers.items()}}}


# fmt: off
SHOWN: dict[str, tuple[object, list[str]]] = {
    # each way to show oneself names a variable
    f"-H 'authorization: Bearer {TOKEN}' {URL}": (shown(authorization="Bearer ${APPLIANCE_TOKEN}"), [TOKEN]),
    f"-H 'Authorization: {TOKEN}' {URL}": (shown(Authorization="${APPLIANCE_TOKEN}"), [TOKEN]),
    f"-H 'X-Api-Key: {TOKEN}' {URL}": (shown(X_Api_Key="${APPLIANCE_X_API_KEY}"), [TOKEN]),
    f"-b 'sid={TOKEN}' {URL}": (shown(Cookie="${APPLIANCE_COOKIE}"), [f"sid={TOKEN}"]),
    "-u 'ann:pa$ss' hub.example": (shown(Authorization="Basic ${APPLIANCE_LOGIN}"), [LOGIN]),
    "'https://ann:pa$ss@hub.example'": (shown(Authorization="Basic ${APPLIANCE_LOGIN}"), [LOGIN]),
    # a line of a report names its secrets, which are taken from the environment; other variables are filled
    f'-H "authorization: Bearer $HUB_TOKEN" {URL}': (shown(authorization="Bearer ${HUB_TOKEN}"), []),
    f'-b "$Version=1; sid=$HUB_TOKEN" -H "Accept-Version: v$HUB_VERSION" {URL}': (
        {"http": {"headers": {"Accept": "application/json, */*;q=0.5", "Accept-Version": "v2.14"}},
         **shown(Cookie="${APPLIANCE_COOKIE}")}, [f"$Version=1; sid={TOKEN}"]),
    "-u $NAME:$SIGN $HUB/api?$filter=a": (
        {"http": {"query": {"$filter": "a"}}, **shown(Authorization="Basic ${APPLIANCE_LOGIN}")}, [LOGIN]),
    "'hub.example?code=pass$NAME'": ({"auth": {"query": {"code": "${APPLIANCE_TOKEN}"}}}, ["pass$NAME"]),
    # headers of the connection, of a cache and of the page would change answers, or are noise
    f"{CACHED} {URL}": ({}, []),
    # what is no secret, and what TLS needs, stands in the profile
    f"{TYPED} '{URL}?v=2&api_key={TOKEN}'": ({"http": {
        "headers": {"Accept": "application/vnd.x+json", "Api-Version": "2024-11-01", "X-Tenant": "42"},
        "query": {"v": "2"}, "verify": False, "follow_redirects": True},
        "auth": {"query": {"api_key": "${APPLIANCE_TOKEN}"}}}, [TOKEN]),
    # of two secrets of one name the second one gets a number, or the name of its parameter
    SEVERAL: ({"auth": {"headers": {"Authorization": "Bearer ${APPLIANCE_TOKEN}"},
        "query": {"token": "${APPLIANCE_TOKEN_2}", "X-Api_Key": "${APPLIANCE_X_API_KEY}"}}},
        [TOKEN, f"another-{TOKEN}", f"third-{TOKEN}"]),
}
# fmt: on
"""The words after `curl`, the tables of a profile that follow from them, and the values of its variables."""


@pytest.mark.parametrize("words", SHOWN)
def test_secret_becomes_a_variable(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The profile names it, and its value stands nowhere in it."""
    for name, value in VARIABLES.items():
        monkeypatch.setenv(name, value)
    tables, secrets = SHOWN[words]
    found = credentials(f"curl {words}")
    assert (found.tables, list(found.secrets.values())) == (tables, secrets)
    profile = json.dumps([found.tables, found.sources, found.left_out])
    assert [secret for secret in secrets if secret in profile] == []


# fmt: off
MISTAKES = [
    (" \n", "no line of curl: it is empty"),
    ("wget https://hub.example", "no line of curl"),
    ("curl -H 'a: b'", "names no address"),
    (f"curl -H 'Authorization: Bearer {TOKEN} {URL}", "quotation mark"),
    ("curl $HUB/api/homeappliances/H/settings", r"names \$HUB, which is not set"),
    ('curl "http://h/api/homeappliances/${HUB}/settings"', r"names \$HUB, which is not set"),
    (f'curl -H "authorization: Bearer $HUB_TOKEN" {URL}', r"\$HUB_TOKEN"),
    (f"curl -u $NAME:x {URL}", r"names \$NAME, which is not set"),
    (f"curl -u ann:$SIGN {URL}", r"names \$SIGN, which is not set"),
    # another scheme, no host, as where a shell has put nothing, or a tree that is not the document's
    ("curl ftp://hub/api", "begins with http:// or https://$"),
    ("curl https://", "begins with"),
    ("curl http:///api/homeappliances/H", "is a variable before its path not set"),
    ("curl https://:8443/api/homeappliances/H", "is a variable before its path not set"),
    ("curl http://[x", "begins with"),
    ("curl https://hub/v1/devices/H/settings/BSH.Common.Setting.PowerState", "the suite asks no other"),
]
# fmt: on


@pytest.mark.parametrize(("text", "says"), MISTAKES)
def test_mistake_is_said_without_the_line(text: str, says: str) -> None:
    """What is wrong is named; nothing of the line is repeated but the name of a variable."""
    with pytest.raises(PastedError, match=says) as raised:
        credentials(text)
    assert TOKEN not in str(raised.value)


@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        (f"-H 'Host: HUB.example:443' {URL}", []),
        (f"-H 'Host: other.example' {URL}", ["Host"]),
        (f"-H 'Host: [hub.example' {URL}", ["Host"]),
        (f"-H 'X-Token: 4711' '{URL}?key=12'", ["X-Token", "key"]),
    ],
)
def test_what_is_not_sent_is_said(words: str, left_out: list[str]) -> None:
    """A run names the host of the address, so a server that goes by another name may not know it; a secret
    that is too short cannot be masked in what a server says.
    """
    found = credentials(f"curl {words}")
    assert (found.tables, len(found.left_out)) == ({}, len(left_out))
    assert all(name in said for name, said in zip(left_out, found.left_out, strict=True))


# Where it is taken from, and what is asked beside it.
TRY: Any = import_module("conformance.commands.try")


def terminal(monkeypatch: pytest.MonkeyPatch, typed: str = "") -> None:
    """Stands a person at the terminal, who types that."""
    stdin = io.StringIO(typed)
    monkeypatch.setattr(stdin, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", stdin)


def test_line_is_taken_from_the_clipboard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a terminal without a line, the clipboard is asked; one that holds no address is none."""
    terminal(monkeypatch)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    clipboard = tmp_path / "pbpaste"
    for text, says in (("curl http://hub/api", ""), ("a shopping list", "no clipboard holds one")):
        clipboard.write_text(f"#!/bin/sh\nprintf '{text}'\n")
        clipboard.chmod(0o755)
        if says:
            with pytest.raises(click.UsageError, match=says):
                TRY._pasted()
        else:
            assert TRY._pasted() == text


def test_one_question_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one is; after that, and where nobody sits at a terminal, none is."""
    terminal(monkeypatch, "/is\n/was\n")
    ask = TRY._asked_once()
    assert [ask("where is it?", "--value"), ask("and now?", "--vendor")] == ["/is", ""]
    monkeypatch.setattr(sys, "stdin", io.StringIO("/is\n"))
    assert TRY._asked_once()("where is it?", "--value") == ""
