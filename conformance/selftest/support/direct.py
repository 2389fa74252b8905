"""Runs in this process, without a socket: a service answers by a call, so that
hundreds of runs cost seconds.
"""

from __future__ import annotations

import queue
from contextlib import closing
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from conformance.cases import CATALOG
from conformance.checks.exchange import Failure, Request, Response
from conformance.harness.pace import Pacer
from conformance.harness.wire.messages import Sent
from conformance.harness.wire.transport import Transport
from conformance.profiles.validation import build_profile
from conformance.reference.profile import truthful_profile
from conformance.reference.wire import Incoming
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import Run, judge_all

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from catalog.model import Level
    from conformance.harness.wire.messages import Wanted
    from conformance.profiles.model import Profile
    from conformance.reference.profile import Knowledge
    from conformance.reference.service import Service

BASE_URL = "http://127.0.0.1:1"


class DirectTransport(Transport):
    """A transport that calls a service; what a connection would do to an answer that is cut or dropped is
    done here.
    """

    def __init__(self, profile: Profile, service: Service) -> None:
        """Opens nothing."""
        self.pace = Pacer(profile)
        self.granted = queue.SimpleQueue()
        self._service = service

    def __exit__(self, *_: object) -> None:
        """Has nothing to close."""

    def send(
        self, wanted: Wanted, *, permit: int | None = None, made: list[Sent] | None = None
    ) -> list[Sent]:
        """Asks the service, and once more where it closed the connection."""
        del permit
        attempts: list[Sent] = [] if made is None else made
        attempts.append(self._ask(wanted))
        while self.pace.is_again(attempts):
            attempts.append(self._ask(wanted))
        return attempts

    def _ask(self, wanted: Wanted) -> Sent:
        url = urlsplit(wanted.path)
        headers = {name.casefold(): text for name, text in wanted.headers}
        reply = self._service.handle(
            Incoming(wanted.method, url.path, url.query, headers, (wanted.body or "").encode())
        )
        request = Request(wanted.method, BASE_URL + wanted.path, wanted.headers, wanted.body)
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        if reply.drop:
            return Sent(request, None, Failure("closed", "the server closed the connection"), at)
        length = {
            "content-length": str(len(reply.body)),
            **{name.casefold(): text for name, text in reply.headers.items()},
        }
        media = {"content-type": reply.media_type} if reply.media_type else {}
        complete = int(length["content-length"]) == len(reply.body)
        return Sent(
            request,
            Response(reply.status, tuple({**media, **length}.items()), reply.body, 0.1, complete=complete),
            None,
            at,
        )


def direct_run(
    service: Service,
    out: Path,
    level: Level = "read",
    *,
    knowledge: Knowledge = "full",
    clauses: Collection[str] = (),
) -> Run:
    """A run against a service with its truthful profile, of all clauses or some.

    No order of writes is searched for where the profile does not say so.
    """
    truth = truthful_profile(service, BASE_URL, knowledge=knowledge)
    profile = build_profile({"pace": {"generated": 0}, **truth}, CATALOG)
    transport = DirectTransport(profile, service)
    with closing(Session(profile, out, level, transport=transport)) as session:
        cases = judge_all(session, clauses)
        return Run(cases, [str(fault) for fault in session.finish()], out)
