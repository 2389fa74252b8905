"""A profile is refused with all its mistakes at once, each with its place and a suggestion."""

from pathlib import Path

import pytest

from conformance.cases import CATALOG
from conformance.profiles.fields import Problem, ProfileError
from conformance.profiles.validation import load_profile

GOOD = """
[target]
name = "hub"
base_url = "http://127.0.0.1:1"
[[appliance]]
ha_id = "one"
kind = "Refrigerator"
"""

EVERYTHING_WRONG = """
[target]
nam = "hub"
base_url = "http://user:word@host/?q=1"
vendor = "A.B"
[auth]
headers = { Authorization = "Bearer in-the-open", X-Key = "${NOWHERE}" }
oauth2 = { token_url = "https://issuer.example", client_id = "me", client_secret = "in-open", scopes = "x" }
[answer]
value = "data/value"
key = "/data/~2"
units = "/data/unit"
[answer.status]
valeu = "/value"
[write]
method = "GET"
path = "/x"
body = {}
allow = ["Vendor.Common.Setting.PowerStat", "*", "Vendor.Common.Status.Power*"]
[http]
headers = { Cookie = "session=1" }
success = "2xx"
timeout_s = 0
verify = 3
client_cert = ["cert.pem", "key.pem", "in-the-open"]
not_supported = [{ status = 42 }]
[pace]
per_minute = 0
concurency = 2
[timing]
retry_s = "soon"
[paths]
authoritative = "setings"
[interpretation]
"I-3" = "perhaps"
"I-11" = true
[[appliance]]
ha_id = "one"
kind = "refrigerator"
supports = ["Refrigeration.Common.Setting.EcoMod", "Washer.*", "Vendor.Common.Setting.ChildLock"]
lacks = ["Vendor.Common.Setting.ChildLock"]
power_states = ["On", "Of"]
enum_subset."Vendor.Common.Setting.AmbientLightColor" = ["Colour1"]
enum_subset."Vendor.Common.Setting.AlarmClok" = []
step = { "Vendor.Common.Setting.ChildLock" = 1 }
alias_of = "nobody"
[[appliance]]
ha_id = "one"
kind = "Oven"
lacks = ["Vendor.Common.Setting.PowerState"]
supports = ["Vendor.Common.Status.Video.CameraState"]
power_states = ["On"]
streaming_camera = false
[[appliance]]
kind = "Oven"
power_states = ["On", "On"]
[[waiver]]
case = "*"
owner = " "
expires = 2027-01-31
"""

EXPECTED: dict[str, str | None] = {
    "target.name": None,
    "target.base_url": None,
    "target.vendor": None,
    "target.nam": "name",
    "auth.headers.Authorization": None,
    "auth.headers.X-Key": None,
    "auth.oauth2.client_secret": None,
    "auth.oauth2.scopes": "scope",
    "answer.value": None,
    "answer.key": None,
    "answer.units": "unit",
    "answer.status.valeu": "value",
    "write.method": None,
    "write.path": None,
    "write.body": None,
    "write.allow[0]": "Vendor.Common.Setting.PowerState",
    "write.allow[2]": "Vendor.Common.Setting.PowerState",
    "http.headers.Cookie": None,
    "http.success": None,
    "http.timeout_s": None,
    "http.client_cert[2]": None,
    "http.verify": None,
    "http.not_supported[0].status": None,
    "pace.per_minute": None,
    "pace.concurency": "concurrency",
    "timing.retry_s": None,
    "paths.authoritative": "settings",
    "interpretation.I-3": None,
    "interpretation.I-11": "I-1",
    "appliance[0].kind": "Refrigerator",
    "appliance[0].supports[0]": "Refrigeration.Common.Setting.EcoMode",
    "appliance[0].supports[1]": "LaundryCare.Washer.*",
    "appliance[0].lacks": None,
    "appliance[0].power_states[1]": "Off",
    "appliance[0].enum_subset.Vendor.Common.Setting.AmbientLightColor": "Color1",
    "appliance[0].enum_subset": "Vendor.Common.Setting.AlarmClock",
    "appliance[0].step": None,
    "appliance[0].alias_of": None,
    "appliance[1].ha_id": None,
    "appliance[1].streaming_camera": None,
    "appliance[1].power_states": None,
    "appliance[2].ha_id": None,
    "appliance[2].power_states": None,
    "waiver[0].reason": None,
    "waiver[0].owner": None,
}


def problems_of(
    path: Path, text: str | bytes, environment: dict[str, str] | None = None
) -> tuple[Problem, ...]:
    """The mistakes in the text of a profile; none if it is good."""
    file = path / "profile.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    try:
        load_profile(file, CATALOG, environment or {})
    except ProfileError as error:
        return error.problems
    return ()


def test_last_words_of_a_key_lead_to_the_whole_key(tmp_path: Path) -> None:
    """A key without its first words, in any case, is suggested in full."""
    path = tmp_path / "hub.toml"
    path.write_text(f'{GOOD}supports = ["ecomode"]\n', encoding="utf-8")
    with pytest.raises(ProfileError) as raised:
        load_profile(path, CATALOG)
    (problem,) = raised.value.problems
    assert problem.suggestion == "Refrigeration.Common.Setting.EcoMode"


def test_every_mistake_is_told_at_once(tmp_path: Path) -> None:
    """Mistakes of form, catalog, secrets and contradiction stand in one list, with place and suggestion."""
    problems = problems_of(tmp_path, EVERYTHING_WRONG)
    assert {problem.place: problem.suggestion for problem in problems} == EXPECTED
    assert len(problems) == len(EXPECTED)


def test_no_mistake_shows_what_stands_in_auth(tmp_path: Path) -> None:
    """A secret that was written into the wrong place is not repeated."""
    assert "in-the-open" not in "".join(map(str, problems_of(tmp_path, EVERYTHING_WRONG)))
    assert "in-the-open" not in "".join(
        map(str, problems_of(tmp_path, GOOD + '[auth]\nheaders = "in-the-open"\n'))
    )


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
    "timing.most_tries": (f"{GOOD}[timing]\nmost_tries = <>\n", ["4", "4.0"], ['"4"', "4.5"]),
    "target.name": (GOOD.replace('"hub"', "<>"), ['"y"'], ["1", "true"]),
    "appliance[0].online": (f"{GOOD}online = <>\n", ["true"], ['"true"', "1"]),
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


TYPES = {
    "success = [200]": "http.success: must be a text, such as '200-299'",
    "not_supported = [404]": "http.not_supported[0]: must be a table such as { status = 409 } (found 404)",
}
"""What stands in [http] as another type than it has, and what the mistake says."""


@pytest.mark.parametrize("line", TYPES)
def test_value_of_another_type_is_told_with_an_example(line: str, tmp_path: Path) -> None:
    """Nobody has to look up what a field looks like."""
    text = GOOD.replace("<>", "one").replace("[[appliance]]", f"[http]\n{line}\n[[appliance]]")
    assert [str(problem) for problem in problems_of(tmp_path, text, {})] == [TYPES[line]]


def test_text_that_has_no_default_is_told_without_an_example(tmp_path: Path) -> None:
    """Nothing of the library that reads profiles is in what is said."""
    text = GOOD.replace('"hub"', '["hub"]').replace('"Refrigerator"', '["Refrigerator"]')
    told = [str(problem) for problem in problems_of(tmp_path, text, {})]
    assert told == [
        "target.name: must be a valid string (found ['hub'])",
        "appliance[0].kind: must be a valid string (found ['Refrigerator'])",
    ]


WRITES = {
    """path = "/{ha_id}/{key}"\nbody = '{"value": {value}}'""": (
        'write.body: holds no text that is "{value}" and nothing else: a JSON object is a table, such as '
    ),
    'path = "/{haId}/{key}"\nbody = "{value}"': (
        "write.path: must begin with '/' and name the appliance as {ha_id}"
    ),
    'path = "/{ha_id}/{settingKey}"\nbody = "{value}"': (
        "write.path: the key is {key}, and stands neither in it nor in the body"
    ),
}
"""What stands in [write] instead of what is meant, and what the mistake says."""


@pytest.mark.parametrize("lines", WRITES)
def test_mistake_in_how_to_write_says_what_is_meant(lines: str, tmp_path: Path) -> None:
    """A body in quotation marks, and paths with the words of the document."""
    (told,) = map(str, problems_of(tmp_path, f'{GOOD}[write]\nmethod = "PUT"\n{lines}\n'))
    assert told.startswith(WRITES[lines])


TARGET = b'[target]\nname = "x"\nbase_url = "http://x"\n'
NO_PROFILES: dict[str, tuple[bytes, list[str]]] = {
    "no TOML": (b"a =", ["TOML"]),
    "TOML without a bottom": (b"a = " + b"[" * 5000, ["TOML"]),
    "a name twice": (b"a = 1\na = 2", ["TOML"]),
    "no UTF-8": (b"\xff\xfe", ["file"]),
    "empty": (b"", ["target", "appliance"]),
    "no appliance": (TARGET, ["appliance"]),
    "an empty list of appliances": (b"appliance = []\n" + TARGET, ["appliance"]),
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
        load_profile(tmp_path / name, CATALOG, {})


UNUSABLE = {
    "UNSET": "is not set in the environment",
    "EMPTY": "is empty",
    "ENDED": "whose value ends with a line end",
    "SHORT": "SHORT",
    "WORD": "WORD",
}
"""Variables without a value, or with one that cannot be kept secret, and what is said of each."""


def test_variable_is_looked_for_everywhere(tmp_path: Path) -> None:
    """Each place that names one that cannot be used is told; a line end is named as the variable's."""
    first, *rest = (f'{name} = "${{SET}} ${{{name}}}"' for name in UNUSABLE)
    text = f"{GOOD}[auth]\nheaders = {{ {', '.join(rest)} }}\n[http]\nheaders = {{ {first} }}\n"
    values = {"SHORT": "k7x", "WORD": "HomeAppliances", "EMPTY": "", "ENDED": "open sesame\n"}
    found = problems_of(tmp_path, text, {"SET": "long enough", **values})
    told = {problem.place.rpartition(".")[2]: problem.text for problem in found}
    assert [name for name, words in UNUSABLE.items() if words not in told.get(name, "")] == []
    assert len(found) == len(UNUSABLE)
    assert "k7x" not in str(found)


def test_same_profile_without_mistakes_is_good(tmp_path: Path) -> None:
    """The text the other tests change has no mistake of its own, with a byte order mark or without."""
    assert problems_of(tmp_path, GOOD) == problems_of(tmp_path, b"\xef\xbb\xbf" + GOOD.encode()) == ()
