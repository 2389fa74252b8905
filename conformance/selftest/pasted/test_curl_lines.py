"""A line of curl is read as the shell that it is from would read it, and its secrets become variables."""

import json
from base64 import b64encode

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


def test_words_of_a_shell_are_a_line() -> None:
    """A line that a shell has split already is taken as it is."""
    assert curl_line(["curl", "-H", f"Authorization: Bearer {TOKEN}", URL]).headers == (BEARER,)


def test_address_alone_is_a_line() -> None:
    """Where nobody has to be let in, an address is enough."""
    assert curl_line([URL]).url == URL
    assert curl_line(["curl hub.local/api"]).url == "http://hub.local/api"


def test_line_that_writes_is_said_so() -> None:
    """What it sends is left out; parameters that -G makes of it stand in the address."""
    assert curl_line([f"curl -X PUT -d '{{}}' {URL}"]).writes
    line = curl_line([f"curl -G -d access_token={TOKEN} --data-urlencode 'lang=de AT' {URL}"])
    assert (line.writes, line.url) == (False, f"{URL}?access_token={TOKEN}&lang=de+AT")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" \n", "no line of curl: it is empty"),
        ("wget https://hub.example", "no line of curl"),
        ("curl -H 'a: b'", "names no address"),
        (f"curl -H 'Authorization: Bearer {TOKEN} {URL}", "quotation mark"),
        ("curl $HUB/api/homeappliances/H/settings", r"names \$HUB, which is not set"),
        ('curl "http://h/api/homeappliances/${HUB}/settings"', r"names \$HUB, which is not set"),
    ],
)
def test_mistake_is_said_without_the_line(text: str, says: str) -> None:
    """What is wrong is named; nothing of the line is repeated but the name of a variable."""
    with pytest.raises(PastedError, match=says) as raised:
        curl_line([text])
    assert TOKEN not in str(raised.value)


def test_options_that_a_run_does_not_follow_are_named() -> None:
    """A proxy or another resolution of names may be why a run does not get there."""
    assert curl_line([f"curl -x http://proxy --resolve hub:1:2 {URL}"]).left_out == ("proxy", "resolve")


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


ELSEWHERE = "https://hub/v1/devices/H/settings/BSH.Common.Setting.PowerState"


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("ftp://hub/api", "begins with http:// or https://$"),
        ("https://", "begins with"),
        ("http:///api/homeappliances/H", "is a variable before its path not set"),
        ("https://:8443/api/homeappliances/H", "is a variable before its path not set"),
        ("http://[x", "begins with"),
        (ELSEWHERE, "the suite asks no other"),
    ],
)
def test_address_that_no_run_can_ask_is_refused(url: str, says: str) -> None:
    """Another scheme, no host, as where a shell has put nothing, or a tree that is not the document's."""
    with pytest.raises(PastedError, match=says):
        address_of(url)


def credentials(text: str) -> Credentials:
    """What a line shows itself with."""
    line = curl_line([text])
    return credentials_of(line, address_of(line.url))


SHOWN = {
    f"-H 'authorization: Bearer {TOKEN}'": ({"authorization": "Bearer ${APPLIANCE_TOKEN}"}, TOKEN),
    f"-H 'Authorization: {TOKEN}'": ({"Authorization": "${APPLIANCE_TOKEN}"}, TOKEN),
    f"-H 'X-Api-Key: {TOKEN}'": ({"X-Api-Key": "${APPLIANCE_X_API_KEY}"}, TOKEN),
    f"-b 'sid={TOKEN}'": ({"Cookie": "${APPLIANCE_COOKIE}"}, f"sid={TOKEN}"),
    f"-u 'ann:{TOKEN}'": ({"Authorization": "Basic ${APPLIANCE_LOGIN}"}, "YW5uOm9wZW4tc2VzYW1lLTQ3MTE="),
}


@pytest.mark.parametrize("words", SHOWN)
def test_secret_becomes_a_variable(words: str) -> None:
    """Each way to show oneself names a variable in the profile, and its value stands nowhere in it."""
    headers, secret = SHOWN[words]
    found = credentials(f"curl {words} {URL}")
    assert (found.tables, list(found.secrets.values())) == ({"auth": {"headers": headers}}, [secret])
    assert secret not in json.dumps([found.tables, found.sources, found.left_out])


def test_variable_of_the_environment_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """A line of a report names its secrets: they are taken from the environment, and must be there."""
    text = f'curl -H "authorization: Bearer $HUB_TOKEN" {URL}'
    with pytest.raises(PastedError, match=r"\$HUB_TOKEN"):
        credentials(text)
    monkeypatch.setenv("HUB_TOKEN", TOKEN)
    assert credentials(text).tables == {"auth": {"headers": {"authorization": "Bearer ${HUB_TOKEN}"}}}
    assert credentials(text).secrets == {}


def test_variable_within_a_header_is_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by the shell of a script; what is no variable of the environment, a header may hold, too."""
    monkeypatch.setenv("HUB_TOKEN", TOKEN)
    monkeypatch.setenv("HUB_VERSION", "2.14")
    found = credentials(f'curl -b "$Version=1; sid=$HUB_TOKEN" -H "Accept-Version: v$HUB_VERSION" {URL}')
    assert list(found.secrets.values()) == [f"$Version=1; sid={TOKEN}"]
    assert found.tables["http"]["headers"]["Accept-Version"] == "v2.14"


def test_variables_of_address_and_login_are_filled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by the shell of a script; what a login merely holds, and a query, may have a dollar sign."""
    text = "curl -u $NAME:$SIGN $HUB/api?$filter=a"
    for name, value in {"NAME": "ann", "SIGN": "pa$ss", "HUB": "https://hub.example"}.items():
        with pytest.raises(PastedError, match="which is not set"):
            credentials(text)
        monkeypatch.setenv(name, value)
    assert curl_line([text]).url == "https://hub.example/api?$filter=a"
    for line in (text, "curl -u 'ann:pa$ss' hub.example", "curl 'https://ann:pa$ss@hub.example'"):
        assert list(credentials(line).secrets.values()) == [b64encode(b"ann:pa$ss").decode()]
    assert list(credentials("curl 'hub.example?code=pass$NAME'").secrets.values()) == ["pass$NAME"]


def test_what_a_browser_sends_of_its_own_accord_is_left_out() -> None:
    """Headers of the connection, of a cache and of the page would change answers, or are noise."""
    noise = ("sec-fetch-mode: cors", "If-None-Match: abcdefghijk", "Host: hub", "Accept: text/html, */*")
    words = " ".join(f"-H '{text}'" for text in noise)
    assert credentials(f"curl {words} {URL}").tables == {}


def test_another_host_than_that_of_the_address_is_said_not_to_be_used() -> None:
    """A run names the host of the address, so a server that goes by another name may not know it."""
    assert credentials(f"curl -H 'Host: HUB.example:443' {URL}").left_out == ()
    for other in ("other.example", "[hub.example"):
        assert "Host" in credentials(f"curl -H 'Host: {other}' {URL}").left_out[0]


def test_what_is_no_secret_stands_in_the_profile() -> None:
    """A kind of JSON, a version, a word too short for a secret; such parameters; what TLS needs."""
    words = "-k -L -H 'Accept: application/vnd.x+json' -H 'Api-Version: 2024-11-01' -H 'X-Tenant: 42'"
    http = credentials(f"curl {words} '{URL}?v=2&api_key={TOKEN}'").tables["http"]
    assert http["headers"] == {
        "Accept": "application/vnd.x+json",
        "Api-Version": "2024-11-01",
        "X-Tenant": "42",
    }
    assert (http["query"], http["verify"], http["follow_redirects"]) == ({"v": "2"}, False, True)


def test_secret_that_is_too_short_is_left_out() -> None:
    """It cannot be masked in what a server says: so it is not sent, and that is said."""
    found = credentials(f"curl -H 'X-Token: 4711' '{URL}?key=12'")
    assert found.tables == {}
    assert len(found.left_out) == 2


def test_two_secrets_of_one_name_have_two_variables() -> None:
    """The second one gets a number, or the name of its parameter."""
    text = f"curl -H 'Authorization: Bearer {TOKEN}' '{URL}?token=another-{TOKEN}&X-Api_Key=third-{TOKEN}'"
    assert set(credentials(text).secrets) == {"APPLIANCE_TOKEN", "APPLIANCE_X_API_KEY"} | {
        "APPLIANCE_TOKEN_2"
    }
