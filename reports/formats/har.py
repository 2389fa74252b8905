"""The ledger as an HTTP Archive, written entry by entry, so that its size does not matter.

The archive is a copy for tools that show exchanges; the ledger is what counts. What HAR has no member for
(purpose, groups, lane, key, number) stands as JSON in the comment of an entry. Notes are left out, and what
the ledger does not know, such as the version of HTTP, is "unknown" or empty.
"""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from harfile import Content, Creator, HarFile, PostData, Record, Request, Response, Timings

from conformance.checks import exchange
from conformance.checks.exchange import Exchange
from conformance.records.ledger_lines import exchange_line, recorded_in

_UNKNOWN: Final = "unknown"
_IN_COMMENT: Final = ("n", "purpose", "groups", "lane", "ha_id", "key", "segment")


def export_har(ledger: Path, suite_version: str) -> Iterator[str]:
    """The text of an HTTP Archive in pieces; a line of the ledger that is no exchange gives no entry."""
    written = io.StringIO()
    with HarFile(written, creator=Creator("appliance-conformance", suite_version)) as har:
        for _, line in recorded_in(ledger, lambda text: b'"request"' in text):
            if isinstance(line, Exchange):
                _add(har, line)
                yield _taken(written)
    yield _taken(written) + "\n"


def _taken(written: io.StringIO) -> str:
    text = written.getvalue()
    written.seek(0)
    written.truncate()
    return text


def _add(har: HarFile, line: Exchange) -> None:
    members = exchange_line(line)
    wait = line.response.elapsed_ms if line.response else 0
    har.add_entry(
        startedDateTime=line.at,
        time=wait,
        request=_request(line.request),
        response=_response(line, members.get("response", {})),
        timings=Timings(send=0, wait=wait, receive=0),
        comment=json.dumps({name: members[name] for name in _IN_COMMENT}),
    )


def _request(sent: exchange.Request) -> Request:
    headers, text = _records(sent.headers), sent.body or ""
    return Request(
        method=sent.method,
        url=sent.url,
        httpVersion=_UNKNOWN,
        headers=headers,
        queryString=_query(sent.url),
        postData=PostData(_media_type(headers), text=text) if text else None,
        bodySize=len(text.encode("utf-8", "surrogatepass")),
    )


def _response(line: Exchange, members: dict[str, str]) -> Response:
    """What came back; status 0 with a comment where nothing did, as browsers write it."""
    came, failure = line.response, line.failure
    headers = _records(came.headers if came else ())
    failed = f"no answer: {failure.kind} {failure.text}".strip() if failure else ""
    cut = "the body is not complete" if came and not came.complete else ""
    return Response(
        status=came.status if came else 0,
        statusText="",
        httpVersion=_UNKNOWN,
        headers=headers,
        content=Content(
            size=len(came.body) if came else 0,
            mimeType=_media_type(headers),
            text=members.get("body"),
            encoding=members.get("body_encoding"),
        ),
        redirectURL=next((header.value for header in headers if header.name.lower() == "location"), ""),
        bodySize=len(came.body) if came else -1,
        comment="; ".join(filter(None, (failed, cut))) or None,
    )


def _records(headers: tuple[tuple[str, str], ...]) -> list[Record]:
    return [Record(name, value) for name, value in headers]


def _media_type(headers: list[Record]) -> str:
    return next((header.value for header in headers if header.name.lower() == "content-type"), "x-unknown")


def _query(url: str) -> list[Record]:
    try:
        return [Record(name, value) for name, value in parse_qsl(urlsplit(url).query, keep_blank_values=True)]
    except ValueError:
        return []
