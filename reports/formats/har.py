"""The ledger as an HTTP Archive, written entry by entry, so that its size does not matter.

The archive is a copy for tools that show exchanges; the ledger is what counts. What HAR has no member for
(purpose, groups, lane, key, number) stands as JSON in the comment of an entry. Notes are left out, and what
the ledger does not know, such as the version of HTTP, is "unknown" or empty.
"""

import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from harfile import Content, Creator, HarFile, PostData, Record, Request, Response, Timings

from conformance.files.foreign_files import LEDGER
from reports.recorded.exchanges import headers_of, mapping_of, read_objects

_UNKNOWN: Final = "unknown"
_IN_COMMENT: Final = ("n", "purpose", "groups", "lane", "ha_id", "key", "segment")


def export_har(ledger: Path, suite_version: str) -> Iterator[str]:
    """The text of an HTTP Archive in pieces; a line of the ledger without a request gives no entry."""
    written = io.StringIO()
    with HarFile(written, creator=Creator("appliance-conformance", suite_version)) as har:
        for line in read_objects(ledger, LEDGER):
            if isinstance(line.get("request"), dict):
                _add(har, line)
                yield _taken(written)
    yield _taken(written) + "\n"


def _taken(written: io.StringIO) -> str:
    text = written.getvalue()
    written.seek(0)
    written.truncate()
    return text


def _add(har: HarFile, line: Mapping[str, Any]) -> None:
    came, failure = mapping_of(line.get("response")), mapping_of(line.get("failure"))
    elapsed = came.get("elapsed_ms")
    wait = elapsed if isinstance(elapsed, int | float) else 0
    har.add_entry(
        startedDateTime=str(line.get("at", "")),
        time=wait,
        request=_request(mapping_of(line["request"])),
        response=_response(came, failure),
        timings=Timings(send=0, wait=wait, receive=0),
        comment=json.dumps({name: line.get(name) for name in _IN_COMMENT}),
    )


def _request(sent: Mapping[str, Any]) -> Request:
    url, headers, body = str(sent.get("url", "")), _records(sent.get("headers")), sent.get("body")
    text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
    return Request(
        method=str(sent.get("method", "")),
        url=url,
        httpVersion=_UNKNOWN,
        headers=headers,
        queryString=_query(url),
        postData=PostData(_media_type(headers), text=text) if text else None,
        bodySize=_size(text),
    )


def _response(came: Mapping[str, Any], failure: Mapping[str, Any]) -> Response:
    """What came back; status 0 with a comment where nothing did, as browsers write it."""
    headers, status = _records(came.get("headers")), came.get("status")
    content = _content(came, _media_type(headers))
    failed = f"no answer: {failure.get('kind', '')} {failure.get('text', '')}".strip() if failure else ""
    cut = "the body is not complete" if came.get("complete") is False else ""
    return Response(
        status=status if isinstance(status, int) else 0,
        statusText="",
        httpVersion=_UNKNOWN,
        headers=headers,
        content=content,
        redirectURL=next((header.value for header in headers if header.name.lower() == "location"), ""),
        bodySize=content.size if came else -1,
        comment="; ".join(word for word in (failed, cut) if word) or None,
    )


def _content(came: Mapping[str, Any], media_type: str) -> Content:
    body, encoding = came.get("body"), came.get("body_encoding")
    if not isinstance(body, str):
        return Content(mimeType=media_type)
    if not isinstance(encoding, str):
        return Content(size=_size(body), mimeType=media_type, text=body)
    size = len(body) * 3 // 4 - body.count("=") if encoding == "base64" else _size(body)
    return Content(size=size, mimeType=media_type, text=body, encoding=encoding)


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _records(headers: object) -> list[Record]:
    return [Record(name, value) for name, value in headers_of(headers)]


def _media_type(headers: list[Record]) -> str:
    return next((header.value for header in headers if header.name.lower() == "content-type"), "x-unknown")


def _query(url: str) -> list[Record]:
    try:
        return [Record(name, value) for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    except ValueError:
        return []
