"""What found something in an earlier run: generated requests and values that the next run tries first."""

import json
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec import DecodeError, Struct
from msgspec.json import decode

from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.generated.mutations import GENERATED
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.view import View
from conformance.harness.errors import RefusedError
from conformance.harness.generated.candidates import Candidate, origins_of
from conformance.harness.generated.edge_values import TOO_LARGE, EdgeValue
from conformance.harness.wire.messages import Wanted

CORPUS_FILE = "corpus.json"
_MOST = 64
_PATHS = "/api/homeappliances/"


class KnownRequest(Struct, frozen=True):
    """A generated request: whose, by which group, of which entry, and what was sent.

    `other` is the appliance that it names besides, empty for none; `headers` are those of the request alone.
    """

    ha_id: str
    group: str
    key: str
    segment: str
    path: str
    headers: tuple[tuple[str, str], ...] = ()
    other: str = ""


class KnownValue(Struct, frozen=True):
    """A generated value, as JSON text, and the setting that it was written to."""

    ha_id: str
    key: str
    text: str


class Corpus(Struct, frozen=True):
    """Requests and values, the newest first."""

    requests: tuple[KnownRequest, ...] = ()
    values: tuple[KnownValue, ...] = ()

    def __bool__(self) -> bool:
        """Whether it holds anything."""
        return bool(self.requests or self.values)

    def before(self, older: "Corpus") -> "Corpus":
        """This corpus with what an older one holds besides; of each kind the newest."""
        return Corpus(
            requests=tuple(dict.fromkeys((*self.requests, *older.requests)))[:_MOST],
            values=tuple(dict.fromkeys((*self.values, *older.values)))[:_MOST],
        )

    def candidates(self, seen: View) -> Iterator[Candidate]:
        """The requests of an appliance whose entries it still serves."""
        origins = {(origin.entry.key, origin.segment): origin for origin in origins_of(seen)}
        for known in self.requests:
            origin = origins.get((known.key, known.segment))
            found = GENERATED.get(Group(ProcedureKind.GENERATED, known.group))
            if known.ha_id == seen.appliance.ha_id and origin and found:
                yield Candidate(*found, origin, Wanted(known.path, headers=known.headers), known.other)

    def edges(self, seen: View, key: str) -> list[EdgeValue]:
        """The values of a setting."""
        own = seen.appliance.ha_id, key
        return [EdgeValue(known.text) for known in self.values if (known.ha_id, known.key) == own]


def load_corpus(path: Path) -> Corpus:
    """The corpus of a file; an empty one where there is no file.

    Raises:
        RefusedError: when the file is no corpus.
    """
    try:
        return decode(path.read_bytes(), type=Corpus) if path.is_file() else Corpus()
    except (OSError, DecodeError) as error:
        raise RefusedError(
            f"{path}: not a corpus of this suite; remove it, or name another baseline"
        ) from error


def corpus_of(exchanges: Sequence[Exchange], found: Collection[int]) -> Corpus:
    """The generated requests and values among the exchanges that findings rest on, by their numbers."""
    telling = [exchange for exchange in exchanges if exchange.n in found and exchange.group]
    plain = next((exchange for exchange in exchanges if exchange.purpose == "read"), None)
    usual = frozenset(plain.request.headers if plain else ())
    return Corpus(
        requests=tuple(
            dict.fromkeys(_request(one, exchanges, usual) for one in telling if one.purpose == "generated")
        ),
        values=tuple(
            dict.fromkeys(
                KnownValue(ha_id=one.ha_id, key=one.key, text=_text_of(one.value))
                for one in telling
                if one.purpose in WRITES and one.group and one.group.kind is ProcedureKind.EDGE
            )
        ),
    )


def _request(
    exchange: Exchange, exchanges: Sequence[Exchange], usual: frozenset[tuple[str, str]]
) -> KnownRequest:
    beside = (one.ha_id for one in exchanges if one.group == exchange.group and one.lane == exchange.lane)
    return KnownRequest(
        ha_id=exchange.ha_id,
        group=exchange.group.subject if exchange.group else "",
        key=exchange.key,
        segment=exchange.segment,
        path=_PATHS + exchange.request.url.partition(_PATHS)[2],
        headers=tuple(header for header in exchange.request.headers if header not in usual),
        other=next((ha_id for ha_id in beside if ha_id != exchange.ha_id), ""),
    )


def _text_of(value: object) -> str:
    """A value as JSON text; an infinite number as one that is too large for a double."""
    return json.dumps(value).replace("Infinity", TOO_LARGE) if isinstance(value, float) else json.dumps(value)
