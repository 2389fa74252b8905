"""A capture is read as it was written, and becomes a ledger without a secret; what was seen is judged."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from catalog.keys import CHILD_LOCK, OPERATION_STATE, POWER_STATE
from conformance.captures.recorded import STANDARD_INPUT, CaptureError, Recorded, line_schema, recorded_in
from conformance.captures.taking import Taken, take
from conformance.harness.ledger import read_ledger
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import network_of
from conformance.proof.trials import PREFIX, all_trials
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.observed_run import observed
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.captured import (
    BASE,
    IDENTITY,
    SECRET,
    entry,
    har,
    judged_capture,
    lines,
    url_of,
    write,
)
from reports.formats.har import export_har

LOCK, POWER = url_of(CHILD_LOCK), url_of(POWER_STATE)


def taken(tmp_path: Path, entries: Sequence[Mapping[str, Any]]) -> Taken:
    """What becomes of a capture; its ledger is `seen.ndjson`."""
    return take([har(tmp_path / "x.har", entries)], None, tmp_path / "seen.ndjson", IDENTITY)


def exchanges_of(tmp_path: Path, *entries: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Purpose, appliance and key of what the ledger holds."""
    taken(tmp_path, entries)
    return [(one.purpose, one.ha_id, one.key) for one in read_ledger(tmp_path / "seen.ndjson").exchanges]


def test_ledger_is_in_order_of_time(tmp_path: Path) -> None:
    """Whatever the order of the capture; writes are kept as writes."""
    entries = entry(POWER, True, 9), write(LOCK, True, 5), entry(LOCK, False, 0)
    of_fridge = [("read", "fridge-1", CHILD_LOCK), ("write", "fridge-1", CHILD_LOCK)]
    assert exchanges_of(tmp_path, *entries) == [*of_fridge, ("read", "fridge-1", POWER_STATE)]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://hub.example/v1/login", "about no entry of the document"),
        (f"{LOCK}?select=all", "with a query that most do not have"),
        (LOCK.replace("/v1/", "/v2/"), "below another base URL"),
        (url_of(CHILD_LOCK, ha_id="other"), ""),
        (url_of("Vendor.Common.Setting.Party"), "of a key that the document does not have"),
    ],
)
def test_what_is_left_out_is_counted(tmp_path: Path, url: str, why: str) -> None:
    """By why it was left out."""
    usual = [entry(LOCK, True, at_s) for at_s in (0, 1)]
    assert taken(tmp_path, [*usual, entry(url, True, 2)]).left == ({why: 1} if why else {})


def test_exchange_in_two_captures_took_place_once(tmp_path: Path) -> None:
    """Also where one file lacks its headers, as browsers do, or its answer; two of one moment are two."""
    whole = entry(LOCK, True, 0), write(LOCK, True, 9), {**write(LOCK, True, 9), "time": 7}
    bare: list[Any] = [{**whole[0], "request": {"method": "GET", "url": LOCK}}, {**whole[1], "response": {}}]
    captures = har(tmp_path / "a", bare), har(tmp_path / "b", whole)
    got = take(captures, None, tmp_path / "c", IDENTITY)
    kept = [one.response is not None for one in read_ledger(tmp_path / "c").exchanges]
    assert (kept, got.left) == ([True, True, True], {"recorded twice": 2})
    assert len(exchanges_of(tmp_path, *whole, content(size=0))) == 4, "an answer of the same second was empty"


@pytest.mark.parametrize("text", [SECRET, f"x {SECRET}-of-cookie", "of-the-query"])
def test_no_secret_reaches_the_ledger(tmp_path: Path, text: str) -> None:
    """Neither from headers nor from the query, nor where a body repeats one."""
    taken(tmp_path, [entry(f"{LOCK}?access_token=of-the-query", text, 0)])
    assert text not in (tmp_path / "seen.ndjson").read_text(encoding="utf-8")
    assert "${SECRET_" in (tmp_path / "seen.ndjson").read_text(encoding="utf-8")


def test_profile_is_guessed(tmp_path: Path) -> None:
    """By what was served: address, appliances, their kind and maker; it claims nothing."""
    keys = ("Zeta.Common.Setting.ChildLock", "Cooking.Oven.Setting.SabbathMode")
    profile = taken(tmp_path, [entry(url_of(key), True, 0) for key in keys]).profile
    (own,) = profile.appliance
    assert (profile.target.base_url, own.ha_id, own.kind, own.vendor) == (
        "https://hub.example/v1",
        "fridge-1",
        "Oven",
        "Zeta",
    )
    assert own.supports == ()


def test_capture_without_an_entry_is_refused(tmp_path: Path) -> None:
    """Nothing could be judged."""
    why = r"no exchange reads or writes an entry of the document \(1 left out: about no entry of the document"
    with pytest.raises(CaptureError, match=why):
        taken(tmp_path, [entry("https://hub.example/login", True, 0)])


# Captures are read as browsers and proxies write them; what is none is refused by its name.
URL, ODD = url_of(CHILD_LOCK), "its request or its answer is not as HAR has them"
Writing = Callable[[Path, Sequence[Mapping[str, Any]]], Path]


def read(path: Path) -> tuple[list[Recorded], dict[str, int]]:
    """What a file holds, and what was left out."""
    left: Counter[str] = Counter()
    return list(recorded_in(path, left)), left


def content(**members: Any) -> dict[str, Any]:
    """An entry with another content."""
    whole = entry(URL, True, 0)
    return {**whole, "response": {**whole["response"], "content": members}}


@pytest.mark.parametrize("writing", [har, lines])
def test_exchanges_are_read_with_time_headers_and_body(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writing: Writing
) -> None:
    """Of HAR, and of lines of NDJSON; from standard input as from a file."""
    path = writing(tmp_path / "x", [entry(URL, True, 0), entry(URL, False, 90)])
    ((first, second), left) = read(path)
    assert (first.method, first.url, first.status, left) == ("GET", URL, 200, {})
    assert (first.body, (second.at - first.at).total_seconds()) == (b'{"data": {"value": true}}', 90)
    assert ("Accept", "application/json") in first.request_headers
    with path.open(encoding="utf-8") as text:
        monkeypatch.setattr("sys.stdin", text)
        assert read(STANDARD_INPUT) == read(path)


BYTES = content(size=2, text="//4=", encoding="base64")
SILENT = {**entry(URL, True, 0), "response": {"status": 204}}


@pytest.mark.parametrize(("one", "body"), [(BYTES, b"\xff\xfe"), (content(size=0), b""), (SILENT, b"")])
def test_body_is_as_it_is_said_to_be(tmp_path: Path, one: dict[str, Any], body: bytes) -> None:
    """Of bytes by an encoding; empty by its size, or by a status that has no body."""
    assert [each.body for each in read(har(tmp_path / "x.har", [one]))[0]] == [body]


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (entry(URL, True, 0, status=0), "no answer was recorded"),
        (entry(URL, True, 0, status=304), "not modified: the body is that of an earlier one"),
        (content(size=25), "the body was not recorded"),
        (content(), "the body was not recorded"),
        (content(size=2, text="%", encoding="base64"), "the body cannot be decoded"),
        (content(size="two"), "the body was not recorded"),
        (content(text=2), ODD),
        (entry(URL, True, 0, request={"method": "GET", "url": URL, "headers": 7}), ODD),
        ({**entry(URL, True, 0), "startedDateTime": None}, ODD),
    ],
)
def test_what_was_not_recorded_whole_is_counted(tmp_path: Path, one: dict[str, Any], why: str) -> None:
    """By the reason. A write is kept all the same: it may have had its effect, whatever it was."""
    assert read(har(tmp_path / "x.har", [one])) == ([], {why: 1})
    kept, _ = read(har(tmp_path / "x.har", [{**one, "request": {**one["request"], "method": "PUT"}}]))
    assert [each.status for each in kept] == [0] * bool(one["startedDateTime"])


@pytest.mark.parametrize("odd", [{"time": None}, {"time": "12 ms"}, {"pageref": 7, "cache": None}])
def test_odd_member_that_nothing_needs_costs_no_exchange(tmp_path: Path, odd: dict[str, Any]) -> None:
    """Some proxies write null where they have measured nothing."""
    entries = [{**entry(URL, True, 0), **odd}, entry(URL, False, 90)]
    exchanges, left = read(har(tmp_path / "x.har", entries))
    assert (len(exchanges), left) == (2, {})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "is neither a ledger nor HAR 1.2, and line 1 is no exchange"),
        ('{"log": {}}', "is neither HAR 1.2 nor NDJSON"),
        ('{"log": ' + "[" * 5000, "is neither HAR 1.2 nor NDJSON"),
        ("GET / HTTP/1.1", "line 1 is no exchange"),
    ],
)
def test_what_is_no_capture_is_refused(tmp_path: Path, text: str, says: str) -> None:
    """With the name of the file, and why."""
    (tmp_path / "x").write_text(text, encoding="utf-8")
    with pytest.raises(CaptureError, match=says):
        read(tmp_path / "x")


def test_lines_are_as_their_schema_says(tmp_path: Path) -> None:
    """Whoever writes lines can validate them."""
    (text,) = lines(tmp_path / "x", [entry(URL, True, 0)]).read_text(encoding="utf-8").splitlines()
    jsonschema.validate(json.loads(text), line_schema())


# A ledger that was exported as HAR shows as a capture what its shared reads show.


def seen_of(name: str, out: Path) -> set[str]:
    """The clauses that the capture of a run of a trial contradicts."""
    trial = all_trials()[name]
    service = trial.server()
    profile = build_profile(trial.profile(service))
    judged_in(Session(profile, out, "read", network=network_of({PREFIX: service})))
    har, seen = out / "capture.har", out / "seen.ndjson"
    har.write_text("".join(export_har(out / LEDGER_FILE, "1.0")), encoding="utf-8")
    take([har], profile, seen, IDENTITY)
    return {case.clause for case in judged_in(observed(SavedRun(seen))).of("fail")}


@pytest.mark.parametrize(
    ("name", "clause"), [("value-twice", "READ-VALUE"), ("range-perapp-value-above", "RANGE-PERAPP-VALUE")]
)
def test_capture_shows_what_shared_reads_show(tmp_path: Path, name: str, clause: str) -> None:
    """A body that is no JSON, a value outside its own range."""
    assert clause in seen_of(name, tmp_path)


@pytest.mark.parametrize("name", ["lacking-null.L0", "cuts-30-of-100-bodies.L0", "maker-per-appliance.L0"])
def test_conforming_capture_shows_nothing(tmp_path: Path, name: str) -> None:
    """Absent keys, bodies that were cut, and two makers."""
    assert not seen_of(name, tmp_path)


# What was merely seen is judged: what holds at one time, and is seen at two.
DECLARED = {
    "target": {"name": "hub", "base_url": BASE},
    "answer": {"value": "/data/value"},
    "appliance": [{"ha_id": "fridge-1", "kind": "Refrigerator"}],
}
OPERATION = url_of(OPERATION_STATE, "status")
ON, INACTIVE = (f"Vendor.Common.EnumType.{name}" for name in ("PowerState.On", "OperationState.Inactive"))


def said(tmp_path: Path, case: str, *entries: Mapping[str, Any]) -> tuple[str, str]:
    """Verdict and finding of a case (`CLAUSE::key`) of a capture."""
    return judged_capture(tmp_path, DECLARED, entries, only=case)[case]


def values(url: str, *values: object, every_s: float = 300) -> Sequence[Mapping[str, Any]]:
    """What a key gave, again and again."""
    return [entry(url, value, number * every_s) for number, value in enumerate(values)]


TEXT = 'value is "true" (string), document says Boolean'


@pytest.mark.parametrize(
    ("shown", "verdict", "words"),
    [
        ((True, False), "pass", ""),
        (("true", "true"), "fail", TEXT),
        ((True, "true", True, "true"), "fail", TEXT),
        (("true",), "inconclusive", f"{TEXT}; seen once"),
        ((True, "true", True), "inconclusive", f"{TEXT}; seen once"),
    ],
)
def test_finding_needs_two_exchanges(
    tmp_path: Path, shown: Sequence[object], verdict: str, words: str
) -> None:
    """Nobody can be asked again."""
    assert said(tmp_path, f"TYPE-BOOLEAN::{CHILD_LOCK}", *values(LOCK, *shown)) == (verdict, words)


def test_key_that_nobody_read_is_not_judged(tmp_path: Path) -> None:
    """It is listed so, with what would change that."""
    got = said(tmp_path, f"TYPE-ENUM::{POWER_STATE}", *values(LOCK, True))
    assert got == ("not_judged", "no answer of success was seen")


def states(every_s: float, times: int) -> list[Mapping[str, Any]]:
    """PowerState On beside OperationState Inactive, which contradict each other once settled."""
    return [
        one
        for number in range(times)
        for one in (entry(POWER, ON, number * every_s), entry(OPERATION, INACTIVE, number * every_s + 1))
    ]


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (states(30, 4), "fail"),
        (states(30, 2), "inconclusive"),
        (states(3600, 9), "inconclusive"),
        ([*states(30, 2), write(POWER, ON, 50), *states(30, 4)[4:]], "inconclusive"),
    ],
    ids=["stays", "not long enough", "hours apart", "written meanwhile"],
)
def test_states_contradict_each_other_where_they_stay(
    tmp_path: Path, seen: Sequence[Mapping[str, Any]], verdict: str
) -> None:
    """Two that were read hours apart, or before and after a write, do not."""
    assert said(tmp_path, f"OPS-ON-NOT-INACTIVE::{OPERATION_STATE}", *seen)[0] == verdict


@pytest.mark.parametrize(
    ("beside", "why"),
    [
        ((), f"not seen beside it: {POWER_STATE}"),
        ((ON, ON), "nobody claims it, and it gave no value at any time"),
    ],
)
def test_null_of_a_key_that_nobody_claims_is_a_doubt(tmp_path: Path, beside: Sequence[str], why: str) -> None:
    """It may be hidden by a state, or how the appliance answers for what it does not have."""
    seen = *values(LOCK, None, None), *values(POWER, *beside)
    verdict, words = said(tmp_path, f"TYPE-NOTNULL::{CHILD_LOCK}", *seen)
    assert (verdict, words.rpartition("; ")[2]) == ("inconclusive", why)
