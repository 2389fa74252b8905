"""Every mistake of a profile is told at once, with its place and what is meant; a good value is none."""

import re
from pathlib import Path

import pytest

from catalog.keys import SETPOINT
from conformance.profiles.fields import ProfileError
from conformance.profiles.validation import load_profile
from conformance.selftest.support.profile_texts import GOOD, WRITING, problems_of

EVERYTHING_WRONG = """
[target]  # target.name
nam = "hub"  # target.nam: name
base_url = "http://user:word@host/?q=1"  # target.base_url
vendor = "A.B"  # target.vendor
[auth]
# auth.headers.Authorization
# auth.headers.X-Key
headers = { Authorization = "Bearer in-the-open", X-Key = "${NOWHERE}" }
# auth.oauth2.client_secret
# auth.oauth2.scopes: scope
oauth2 = { token_url = "https://issuer.example", client_id = "me", client_secret = "in-open", scopes = "x" }
[answer]
value = "data/value"  # answer.value
key = "/data/~2"  # answer.key
units = "/data/unit"  # answer.units: unit
[answer.status]
valeu = "/value"  # answer.status.valeu: value
[write]
method = "GET"  # write.method
path = "/x"  # write.path
body = {}  # write.body
# write.allow[0]: Vendor.Common.Setting.PowerState
# write.allow[2]: Vendor.Common.Setting.PowerState
allow = ["Vendor.Common.Setting.PowerStat", "*", "Vendor.Common.Status.Power*"]
[http]
headers = { Cookie = "session=1" }  # http.headers.Cookie
success = "2xx"  # http.success
timeout_s = 0  # http.timeout_s
verify = 3  # http.verify
client_cert = ["cert.pem", "key.pem", "in-the-open"]  # http.client_cert[2]
not_supported = [{ status = 42 }]  # http.not_supported[0].status
[pace]
per_minute = 0  # pace.per_minute
concurency = 2  # pace.concurency: concurrency
[timing]
retry_s = "soon"  # timing.retry_s
[paths]
authoritative = "setings"  # paths.authoritative: settings
[interpretation]
"I-3" = "perhaps"  # interpretation.I-3
"I-11" = true  # interpretation.I-11: I-1
[[appliance]]
ha_id = "one"
kind = "refrigerator"  # appliance[0].kind: Refrigerator
# appliance[0].supports[0]: Refrigeration.Common.Setting.EcoMode
# appliance[0].supports[1]: LaundryCare.Washer.*
supports = ["Refrigeration.Common.Setting.EcoMod", "Washer.*", "Vendor.Common.Setting.ChildLock"]
lacks = ["Vendor.Common.Setting.ChildLock"]  # appliance[0].lacks
power_states = ["On", "Of"]  # appliance[0].power_states[1]: Off
# appliance[0].enum_subset.Vendor.Common.Setting.AmbientLightColor: Color1
enum_subset."Vendor.Common.Setting.AmbientLightColor" = ["Colour1"]
# appliance[0].enum_subset: Vendor.Common.Setting.AlarmClock
enum_subset."Vendor.Common.Setting.AlarmClok" = []
step = { "Vendor.Common.Setting.ChildLock" = 1 }  # appliance[0].step
alias_of = "nobody"  # appliance[0].alias_of
[[appliance]]
ha_id = "one"  # appliance[1].ha_id
kind = "Oven"
lacks = ["Vendor.Common.Setting.PowerState"]
supports = ["Vendor.Common.Status.Video.CameraState"]
power_states = ["On"]  # appliance[1].power_states
streaming_camera = false  # appliance[1].streaming_camera
[[appliance]]  # appliance[2].ha_id
kind = "Oven"
power_states = ["On", "On"]  # appliance[2].power_states
[[waiver]]  # waiver[0].reason
case = "*"
owner = " "  # waiver[0].owner
expires = 2027-01-31
"""
"""Beside a mistake, or above it, is its place, and what is suggested for it."""
EXPECTED = [words.partition(": ")[::2] for words in re.findall("# (.*)", EVERYTHING_WRONG)]


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    """Mistakes of form, catalog, secrets and contradiction stand in one list, with place and suggestion."""
    problems = problems_of(tmp_path, EVERYTHING_WRONG)
    assert sorted((problem.place, problem.suggestion or "") for problem in problems) == sorted(EXPECTED)


def test_no_mistake_shows_what_stands_in_auth(tmp_path: Path) -> None:
    """A secret that was written into the wrong place is not repeated."""
    texts = (EVERYTHING_WRONG, GOOD + '[auth]\nheaders = "in-the-open"\n')
    problems = [str(problem) for text in texts for problem in problems_of(tmp_path, text)]
    assert "in-the-open" not in "".join(problems)


TOLD: dict[str, list[str]] = {
    # A value of another type is told with an example of the field, where it has a default.
    f"{GOOD}[http]\nsuccess = [200]": ["http.success: must be a text, such as '200-299'"],
    f"{GOOD}[http]\nnot_supported = [404]": [
        "http.not_supported[0]: must be a table such as { status = 409 } (found 404)"
    ],
    GOOD.replace('"hub"', '["hub"]').replace('"Refrigerator"', '["Refrigerator"]'): [
        "target.name: must be a text (found ['hub'])",
        "appliance[0].kind: must be a text (found ['Refrigerator'])",
    ],
    # What was found is told as TOML has it.
    GOOD.replace('"hub"', "[true, 'C:\\hub']").replace('"Refrigerator"', "[false, 2026-01-01]"): [
        "target.name: must be a text (found [true, 'C:\\hub'])",
        "appliance[0].kind: must be a text (found [false, 2026-01-01])",
    ],
    f'{GOOD}[[appliance]]\nha_id = "two"\nkind = "Oven"\nstreaming_camera = {{ now = false }}': [
        "appliance[1].streaming_camera: must be true or false (found {now = false})"
    ],
    # What an address holds that the suite adds itself has a field of its own.
    GOOD.replace("127.0.0.1:1", "127.0.0.1:1/?v=2"): [
        (
            "target.base_url: must not carry a query or a fragment: parameters of each address stand in"
            ' [http], query = { NAME = "VALUE" }, secret ones in [auth]'
        )
    ],
    f'{GOOD}[http]\nheaders = {{ Host = "hub.example" }}': [
        (
            "http.headers.Host: cannot be declared: it is the host of base_url; write the name there, and let"
            " it lead to the address that is meant, such as in /etc/hosts"
        )
    ],
    # One table where there may be several.
    GOOD.replace("[[appliance]]", "[appliance]"): [
        (
            "appliance: must be a list of tables: write [[appliance]] (found {ha_id = 'one', kind = "
            "'Refrigerator'})"
        )
    ],
    f'{GOOD}[[template]]\nname = "a"\nsupports = "Vendor.*"': [
        "template[0].supports: must be a list (found 'Vendor.*')"
    ],
    # A pattern is told in words, and a date as one is written.
    GOOD.replace("Refrigerator", "Wine cooler"): [
        "appliance[0].kind: must be one word (found 'Wine cooler')"
    ],
    f'{GOOD}[[waiver]]\ncase = "*"\nreason = "a"\nowner = "b"\nexpires = "soon"': [
        "waiver[0].expires: must be a date, such as 2027-01-31 (found 'soon')"
    ],
    # A key without its first words, in any case, leads to the whole key.
    f'{GOOD}supports = ["ecomode"]': [
        (
            "appliance[0].supports[0]: 'ecomode' is no key of the catalog (did you mean "
            "'Refrigeration.Common.Setting.EcoMode'?)"
        )
    ],
    # What may be one thing or another is told as both.
    f"{GOOD}[http]\nverify = 1": ["http.verify: must be true or false, or the path of a CA bundle"],
    # Declarations that contradict each other, or say nothing.
    f'{GOOD}[auth]\ntoken_cmd = ["x"]\noauth2 = {{ token_url = "http://x", client_id = "a" }}': [
        "auth.token_cmd: stands beside auth.oauth2: a token comes from one of them"
    ],
    f'{GOOD}[hooks]\ntouch = {{ path = "/touch" }}': [
        "hooks.touch: neither its path nor its body holds {ha_id}"
    ],
    f'{GOOD}alias_of = "one"': ["appliance[0].alias_of: 'one' is no other appliance of this profile"],
    # A body in quotation marks, and paths with the words of the document.
    f"""{WRITING}path = "/{{ha_id}}/{{key}}"\nbody = '{{"value": {{value}}}}'""": [
        (
            'write.body: holds no text that is "{value}" and nothing else: a JSON object is a table, '
            'such as { data = { key = "{key}", value = "{value}" } }'
        )
    ],
    f'{WRITING}path = "/{{haId}}/{{key}}"\nbody = "{{value}}"': [
        "write.path: must begin with '/' and name the appliance as {ha_id}"
    ],
    f'{WRITING}path = "/{{ha_id}}/{{settingKey}}"\nbody = "{{value}}"': [
        "write.path: the key is {key}, and stands neither in it nor in the body"
    ],
}
"""The text of a profile, and what is said of its mistakes."""


@pytest.mark.parametrize("text", TOLD)
def test_mistake_says_what_is_meant(text: str, tmp_path: Path) -> None:
    """Nobody has to look up what a field looks like, and nothing is told of the library that reads it."""
    assert [str(problem) for problem in problems_of(tmp_path, text)] == TOLD[text]


# A field, the text of a profile with the value in question as <>, and values that are good and that are not
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
    **{
        f"{table}.headers.": (
            f'{GOOD}[{table}]\nheaders = {{ "<>" = "${{TOKEN}}" }}\n',
            ["Accept", "accept-encoding", "X-Tenant_1"],
            [
                *("Content-Length", "transfer-encoding", "HOST", "Connection", "Upgrade", "Expect"),
                *("", "X Y", "X:", "Xä"),
            ],
        )
        for table in ("http", "auth")
    },
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
VALUES = [(place, value, part) for place, row in FIELDS.items() for part in (1, 2) for value in row[part]]


@pytest.mark.parametrize(("place", "value", "part"), VALUES)
def test_value_is_good_or_named(tmp_path: Path, place: str, value: str, part: int) -> None:
    """An address, a header that frames no message, status codes, JSON Pointers, a haId of its own."""
    text = FIELDS[place][0].replace("<>", value)
    places = [problem.place for problem in problems_of(tmp_path, text, {"TOKEN": "open sesame"})]
    assert places == ([] if part == 1 else [place + value if place.endswith(".") else place])


TARGET = b'[target]\nname = "x"\nbase_url = "http://x"\n'
NO_PROFILES: dict[str, tuple[bytes, list[str]]] = {
    "no TOML": (b"a =", ["TOML"]),
    "TOML without a bottom": (b"a = " + b"[" * 5000, ["TOML"]),
    "a name twice": (b"a = 1\na = 2", ["TOML"]),
    "no UTF-8": (b"\xff\xfe", ["file"]),
    "empty": (b"", ["target", "appliance"]),
    "no appliance": (TARGET, ["appliance"]),
    "an empty list of appliances": (b"appliance = []\n" + TARGET, ["appliance"]),
    "a template that is no list": (GOOD.encode() + b'[template]\nname = "a"', ["template"]),
    "a fleet beside an appliance that is no list": (
        GOOD.replace("[[appliance]]", "[appliance]").encode() + b'[fleet]\nfile = "fleet.csv"',
        ["appliance"],
    ),
    "an appliance that is no table": (b"appliance = [3]\n" + TARGET, ["appliance[0]"]),
    "a target that is no table": (b"target = 3\n" + GOOD[GOOD.index("[[") :].encode(), ["target"]),
}


@pytest.mark.parametrize("name", NO_PROFILES)
def test_file_that_is_no_profile_says_why(tmp_path: Path, name: str) -> None:
    """Whatever is in the file, the answer is a list of mistakes."""
    text, places = NO_PROFILES[name]
    assert [problem.place for problem in problems_of(tmp_path, text)] == places


@pytest.mark.parametrize("name", ["missing.toml", "."])
def test_file_that_cannot_be_read_says_why(tmp_path: Path, name: str) -> None:
    """A missing file and a directory are mistakes like any other."""
    with pytest.raises(ProfileError, match="file: "):
        load_profile(tmp_path / name, {})


UNUSABLE = {
    "UNSET": (None, "is not set in the environment"),
    "EMPTY": ("", "is empty"),
    "ENDED": ("open sesame\n", "whose value ends with a line end"),
    "BLANK": ("open sesame ", "whose value begins or ends with a space"),
    "ODD": ("gehäimnis", "whose value holds a character that is not ASCII"),
    "SHORT": ("k7x", "SHORT"),
    "WORD": ("HomeAppliances", "WORD"),
}
"""Variables without a value, or with one that cannot be kept secret, and what is said of each."""


def test_variable_is_looked_for_everywhere(tmp_path: Path) -> None:
    """Each place that names one that cannot be used is told; a line end is named as the variable's."""
    first, *rest = (f'{name} = "${{SET}} ${{{name}}}"' for name in UNUSABLE)
    text = f"{GOOD}[auth]\nheaders = {{ {', '.join(rest)} }}\n[http]\nheaders = {{ {first} }}\n"
    values = {name: value for name, (value, _) in UNUSABLE.items() if value is not None}
    found = problems_of(tmp_path, text, {"SET": "long enough", **values})
    told = {problem.place.rpartition(".")[2]: problem.text for problem in found}
    assert [name for name, (_, words) in UNUSABLE.items() if words not in told.get(name, "")] == []
    assert len(found) == len(UNUSABLE)
    assert "k7x" not in str(found)


def test_same_profile_without_mistakes_is_good(tmp_path: Path) -> None:
    """The text the other tests change has no mistake of its own, with a byte order mark or without."""
    assert problems_of(tmp_path, GOOD) == problems_of(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()) == ()
