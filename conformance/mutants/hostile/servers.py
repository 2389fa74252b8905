"""Every hostile server, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from conformance.mutants.hostile.contents.charsets import CHARSETS
from conformance.mutants.hostile.contents.echoes import ECHOES
from conformance.mutants.hostile.contents.false_writes import FALSE_WRITES
from conformance.mutants.hostile.contents.json_extremes import JSON_EXTREMES
from conformance.mutants.hostile.contents.texts import TEXTS
from conformance.mutants.hostile.contents.tokens import TOKENS
from conformance.mutants.hostile.messages.compression import COMPRESSION
from conformance.mutants.hostile.messages.connections import CONNECTIONS
from conformance.mutants.hostile.messages.framing import FRAMING
from conformance.mutants.hostile.messages.handshakes import HANDSHAKES
from conformance.mutants.hostile.messages.headers import HEADERS
from conformance.mutants.hostile.messages.redirects import REDIRECTS
from conformance.mutants.hostile.messages.streams import STREAMS
from conformance.mutants.hostile.messages.throttling import THROTTLING
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
