"""A value of a field is good, or the field is named."""

from pathlib import Path

import pytest

from catalog.keys import SETPOINT
from conformance.selftest.support.profile_texts import GOOD, WRITING, problems_of

# a field, the text of a profile with the value in question as <>, and values that are good and that are not
FRAMING = ["Content-Length", "transfer-encoding", "HOST", "Connection", "Upgrade", "Expect"]
FIELDS: dict[str, tuple[str, list[str], list[str]]] = {
    "target.base_url": (
        GOOD.replace("http://127.0.0.1:1", "<>"),
        [
            *("http://host", "https://host:8443/hub/v1/", "http://[::1]:8080", "HTTP://HOST"),
            *("http://xn--bcher-kva.example", "http://bücher.example", "http://host_1.example."),
        ],
        [
            *("ftp://host", "host", "http://", "http://user@host", "http://user:word@host", "http://@host"),
            *("http://host/?", "http://host/?q=1", "http://host/#part", "http://host:99999", "http://host:0"),
            *("http://host:port", "http://[::1", "http://ho st", "http://host/a b", "http://xn--0"),
            *("http://a.xn--0.example/hub", "http://a..b", f"http://{'a' * 64}"),
        ],
    ),
    "http.headers.": (
        f'{GOOD}[http]\nheaders = {{ "<>" = "${{TOKEN}}" }}\n',
        ["Accept", "accept-encoding", "X-Tenant_1"],
        [*FRAMING, "", "X Y", "X:", "Xä"],
    ),
    "auth.headers.": (
        f'{GOOD}[auth]\nheaders = {{ "<>" = "${{TOKEN}}" }}\n',
        ["Accept", "X-Tenant_1"],
        ["Content-Length", "Expect", "Xä"],
    ),
    "http.success": (
        f'{GOOD}[http]\nsuccess = "<>"\n',
        ["200", "200-299", "200, 203-206", "100-599", "200-"],
        ["", "2xx", "299-200", "99", "600", "-200", "²00", "200,,"],
    ),
    "answer.value": (f'{GOOD}[answer]\nvalue = "<>"\n', ["", "/", "/a/0", "/a~0b~1c"], ["a", "/a~", "/a~2"]),
    "timing.settle_s": (f"{GOOD}[timing]\nsettle_s = <>\n", ["2", "2.5"], ['"2"', "true"]),
    "timing.most_tries": (f"{GOOD}[timing]\nmost_tries = <>\n", ["4"], ['"4"', "4.0", "4.5"]),
    "target.name": (GOOD.replace('"hub"', "<>"), ['"y"'], ["1", "true", '""', '" "']),
    "appliance[0].online": (f"{GOOD}online = <>\n", ["true"], ['"true"', "1"]),
    f"appliance[0].step.{SETPOINT}": (
        f'{GOOD}step = {{ "{SETPOINT}" = <> }}\n',
        ["1", "0.5"],
        ["inf", "nan", '"1"', "0", "-1"],
    ),
    "paths.battery_drift": (f"{GOOD}[paths]\nbattery_drift = <>\n", ["0", "1.5"], ["inf", "nan", "-1"]),
    "http.headers.Accept": (
        f'{GOOD}[http]\nheaders = {{ Accept = "<>" }}\n',
        ["", "text/html", "a\\tb"],
        ["é", " x", "a\\nb", "a\\u0000b"],
    ),
    "write.media_type": (
        f'{WRITING}path = "/{{ha_id}}/{{key}}"\nbody = "{{value}}"\nmedia_type = "<>"\n',
        ["application/json; charset=utf-8"],
        ["", "json", "a/b\\n"],
    ),
    "list.status.path": (
        f'{GOOD}[list]\nstatus = {{ path = "<>", items = "/items" }}\n',
        ["/lists?of={ha_id}"],
        ["", "{ha_id}", "/api/homeappliances/{haId}/status"],
    ),
    "events.path": (f'{GOOD}[events]\npath = "<>"\n', ["/events"], ["", "@host/"]),
    "appliance[0].ha_id": (GOOD.replace("one", "<>"), ["two"], ["", ".", "..", "*", "no-Oven"]),
}
VALUES = [
    (place, value, number) for place, row in FIELDS.items() for number in (1, 2) for value in row[number]
]


@pytest.mark.parametrize(("place", "value", "number"), VALUES)
def test_value_is_good_or_named(tmp_path: Path, place: str, value: str, number: int) -> None:
    """An address, a header that frames no message, status codes, JSON Pointers, a haId of its own."""
    text = FIELDS[place][0].replace("<>", value)
    places = [problem.place for problem in problems_of(tmp_path, text, {"TOKEN": "open sesame"})]
    assert places == ([] if number == 1 else [place + value if place.endswith(".") else place])
