"""Every hostile server, by name."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from conformance.mutants.hostile.charsets import CHARSETS
from conformance.mutants.hostile.compression import COMPRESSION
from conformance.mutants.hostile.connections import CONNECTIONS
from conformance.mutants.hostile.echoes import ECHOES
from conformance.mutants.hostile.false_writes import FALSE_WRITES
from conformance.mutants.hostile.framing import FRAMING
from conformance.mutants.hostile.handshakes import HANDSHAKES
from conformance.mutants.hostile.headers import HEADERS
from conformance.mutants.hostile.json_extremes import JSON_EXTREMES
from conformance.mutants.hostile.redirects import REDIRECTS
from conformance.mutants.hostile.streams import STREAMS
from conformance.mutants.hostile.texts import TEXTS
from conformance.mutants.hostile.throttling import THROTTLING
from conformance.mutants.hostile.tokens import TOKENS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.mutants.hostile.model import Hostile

HOSTILE: Final[tuple[Hostile, ...]] = (
    *FRAMING,
    *CONNECTIONS,
    *COMPRESSION,
    *CHARSETS,
    *JSON_EXTREMES,
    *HEADERS,
    *REDIRECTS,
    *THROTTLING,
    *TOKENS,
    *STREAMS,
    *HANDSHAKES,
    *TEXTS,
    *ECHOES,
    *FALSE_WRITES,
)
BY_NAME: Final[Mapping[str, Hostile]] = MappingProxyType({hostile.name: hostile for hostile in HOSTILE})
