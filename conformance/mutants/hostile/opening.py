"""A hostile server with its profile, ready to be judged."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from typing import cast

from conformance.mutants.hostile.messages.handshakes import wrong_certificate
from conformance.mutants.hostile.model import Hostile, hostile_profile
from conformance.mutants.hostile.sockets import Served, serve_hostile


@contextmanager
def opened(hostile: Hostile, port: int = 0) -> Generator[tuple[Served, dict[str, object]]]:
    """Serve a hostile server on loopback, with the profile that a run against it reads, as plain data.

    Raises:
        ServeError: the port cannot be listened on.
        ModuleNotFoundError: the server needs a certificate, and trustme is not installed.
    """
    with ExitStack() as stack:
        tls, trusted = (
            stack.enter_context(wrong_certificate(hostile.certificate))
            if hostile.certificate
            else (None, None)
        )
        served = stack.enter_context(serve_hostile(hostile, port, tls))
        profile = hostile_profile(hostile, served.base_url)
        if trusted is not None:
            cast("dict[str, object]", profile["http"])["verify"] = trusted
        yield served, profile
