"""The pieces of hostile answers: well-formed heads and bodies, and the functions that spoil them."""

from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus

from catalog.keys import CHILD_LOCK
from conformance.mutants.hostile.model import Answer, Asked, Piece
from conformance.reference.wire import Reply

JSON = "application/json"


def head(status: int = 200, *lines: str, media_type: str | None = JSON) -> bytes:
    """A status line and headers, with the empty line after them; `lines` are written as they are."""
    told = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *([f"Content-Type: {media_type}"] if media_type else []),
        *lines,
    ]
    return "\r\n".join([*told, "", ""]).encode("latin-1")


def framed(status: int, body: bytes, *lines: str, media_type: str | None = JSON) -> bytes:
    """A well-formed answer."""
    return head(status, f"Content-Length: {len(body)}", *lines, media_type=media_type) + body


def sent(reply: Reply) -> bytes:
    """What a conforming server sends."""
    lines = [f"{name}: {value}" for name, value in reply.headers.items()]
    if reply.status == HTTPStatus.NO_CONTENT:
        return head(reply.status, *lines, media_type=None)
    return framed(reply.status, reply.body, *lines, media_type=reply.media_type)


def conforming(asked: Asked) -> Iterable[Piece]:
    """What a conforming server answers."""
    return (sent(asked.reply),)


def always(*pieces: Piece) -> Answer:
    """The same pieces for every request."""
    return lambda _asked: pieces


def spoiled(spoil: Callable[[Reply], Iterable[Piece]]) -> Answer:
    """What `spoil` makes of the answer of a conforming server, for every request."""
    return lambda asked: spoil(asked.reply)


def moved(location: str, status: int = 302) -> Answer:
    """A redirect; in its location, `{path}` is the path asked for, and `{host}` and `{port}` the server's."""

    def answer(asked: Asked) -> Iterable[Piece]:
        host = asked.base_url.partition("//")[2]
        named = {"path": asked.request.path, "host": host, "port": host.rpartition(":")[2]}
        return (framed(status, b"", f"Location: {location.format(**named)}"),)

    return answer


def only(answer: Answer, *keys: str) -> Answer:
    """The answer for reads of the keys (ChildLock if none is named); other requests are answered rightly."""
    return granted(lambda asked: answer(asked) if asked.key in (keys or (CHILD_LOCK,)) else conforming(asked))


def granted(answer: Answer) -> Answer:
    """The answer where a conforming server has one with a value; refusals are left as they are."""
    return lambda asked: answer(asked) if asked.gives_a_value else conforming(asked)


def endless(piece: Piece, *first: Piece, between: Piece | None = None) -> Iterator[Piece]:
    """Some pieces, and then one piece again and again."""
    yield from first
    while True:
        yield piece
        if between is not None:
            yield between
