"""Captures are read as browsers and proxies write them; what is none is refused by its name."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from catalog.keys import CHILD_LOCK
from conformance.captures.recorded import CaptureError, Recorded, Unusable, line_schema, recorded_in
from conformance.selftest.support.samples.captured import entry, har, lines, url_of

URL = url_of(CHILD_LOCK)
Writing = Callable[[Path, Sequence[Mapping[str, Any]]], Path]


def read(path: Path) -> tuple[list[Recorded], dict[str, int]]:
    """What a file holds, and what was left out."""
    left = Unusable()
    return list(recorded_in(path, left)), left.counts


def content(**members: Any) -> dict[str, Any]:
    """An entry with another content."""
    whole = entry(URL, True, 0)
    return {**whole, "response": {**whole["response"], "content": members}}


@pytest.mark.parametrize("writing", [har, lines])
def test_exchanges_are_read_with_time_headers_and_body(tmp_path: Path, writing: Writing) -> None:
    """Of HAR, and of lines of NDJSON."""
    ((first, second), left) = read(writing(tmp_path / "x", [entry(URL, True, 0), entry(URL, False, 90)]))
    assert (first.method, first.url, first.status, left) == ("GET", URL, 200, {})
    assert (first.body, (second.at - first.at).total_seconds()) == (b'{"data": {"value": true}}', 90)
    assert ("Accept", "application/json") in first.request_headers


def test_body_of_bytes_is_decoded(tmp_path: Path) -> None:
    """HAR says that with an encoding."""
    ((only,), _) = read(har(tmp_path / "x.har", [content(size=2, text="//4=", encoding="base64")]))
    assert only.body == b"\xff\xfe"


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (entry(URL, True, 0, status=0), "no answer was recorded"),
        (entry(URL, True, 0, status=304), "not modified: the body is that of an earlier one"),
        (content(size=25), "the body was not recorded"),
        (content(size=2, text="%", encoding="base64"), "the body cannot be decoded"),
        (content(size="two"), "its headers or its content are not as HAR has them"),
    ],
)
def test_what_was_not_recorded_whole_is_counted(tmp_path: Path, one: dict[str, Any], why: str) -> None:
    """It says nothing of the target."""
    assert read(har(tmp_path / "x.har", [one])) == ([], {why: 1})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "line 1 is no exchange"),
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
