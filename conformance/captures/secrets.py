"""What may be secret in a capture: it holds the session of a person.

Only headers that verdicts or readers need are kept, and the query is dropped. What stood in the other headers
and in queries is masked wherever it stands again, as in a body that repeats a token.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from conformance.captures.recorded import Recorded
from conformance.profiles.keeping import SHORTEST, why_not_kept

KEPT: Final = frozenset(
    {
        *("accept", "accept-language", "allow", "content-language", "content-length", "content-type"),
        *("date", "retry-after", "transfer-encoding"),
    }
)
"""The headers that are kept, of requests and answers, in small letters."""
_HARMLESS: Final = re.compile(
    r":.*|(accept|access-control|content|if|sec)-.*|age|alt-svc|cache-control|connection|dnt|etag|expires|host"
    r"|keep-alive|last-modified|link|location|origin|pragma|priority|referer|server|strict-transport-security"
    r"|te|upgrade.*|user-agent|vary|via|x-content-type-options|x-frame-options|date",
    re.IGNORECASE,
)
"""Headers that are dropped, and hold no secret: what stands in them may stand in a body."""
_PART: Final = re.compile(rf"[\w.~+/=-]{{{SHORTEST},}}")
_LONGEST: Final = 8192


def kept(headers: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """The headers that go into the ledger."""
    return tuple((name, value) for name, value in headers if name.casefold() in KEPT)


def secrets_of(recorded: Iterable[Recorded], known: str) -> dict[str, str]:
    """What may be secret in exchanges, by a name for each.

    What is too short, or a word that reports hold anyway (`known`), could not be told from other text.
    """
    texts = dict.fromkeys(text for one in recorded for text in _texts_of(one))
    parts = dict.fromkeys(part for text in texts for part in _PART.findall(text[:_LONGEST]))
    secret = [part for part in parts if not why_not_kept(part, known)]
    return {f"SECRET_{number}": part for number, part in enumerate(secret, start=1)}


def _texts_of(recorded: Recorded) -> Iterator[str]:
    for name, value in (*recorded.request_headers, *recorded.response_headers):
        if name.casefold() not in KEPT and not _HARMLESS.fullmatch(name):
            yield value
    split = urlsplit(recorded.url)
    yield from (value for _, value in parse_qsl(split.query))
    yield from filter(None, (split.username, split.password))
