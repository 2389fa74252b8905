"""Every hostile server, by name, and each ready to be judged with its profile."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Final, cast

from conformance.mutants.hostile.bodies import CHARSETS, FALSE_WRITES, JSON_EXTREMES
from conformance.mutants.hostile.connections import CONNECTIONS, HANDSHAKES, STREAMS, wrong_certificate
from conformance.mutants.hostile.messages import COMPRESSION, FRAMING, HEADERS, REDIRECTS, THROTTLING
from conformance.mutants.hostile.model import Hostile, hostile_profile
from conformance.mutants.hostile.sockets import Served, serve_hostile
from conformance.mutants.hostile.texts import ECHOES, TEXTS, TOKENS

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
BY_NAME: Final[Mapping[str, Hostile]] = {hostile.name: hostile for hostile in HOSTILE}


@contextmanager
def opened(hostile: Hostile, port: int = 0) -> Generator[tuple[Served, dict[str, object]]]:
    """Serve a hostile server on loopback, with the profile that a run against it reads, as plain data.

    Raises:
        ServeError: the port cannot be listened on.
        ModuleNotFoundError: the server needs a certificate, and trustme is not installed.
    """
    secured = wrong_certificate(hostile.certificate) if hostile.certificate else nullcontext((None, None))
    with secured as (tls, trusted), serve_hostile(hostile, port, tls) as served:
        profile = hostile_profile(hostile, served.base_url)
        if trusted is not None:
            cast("dict[str, object]", profile["http"])["verify"] = trusted
        yield served, profile
