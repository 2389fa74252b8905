"""The access token of a run, from any thread: kept while it is good, and got anew when it is not.

A token is got anew shortly before it expires, and when the target answers 401 to one that it has taken
before. So it is when the target answers 403 to a request that it had let in before: some say that of a token
that has expired. If the new one is refused with the same status, the answer was not about the token: then
none is got for that status again for a minute.
"""

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, TypeAlias

from conformance.checks.exchange import Failure, Response
from conformance.harness.clock import Clock
from conformance.harness.errors import TransportError, UnmaskableSecretError
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.redaction import Redactor

ACCESS_TOKEN: Final = "ACCESS_TOKEN"  # noqa: S105  the name that stands for the token, in the ledger and in a shell
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_PATIENCE_S: Final = 60.0
_USED: Final = 0.9  # of the life of a token; then another one is got

Keep: TypeAlias = Callable[[Response | None, Failure | None, str], None]
"""Told what came of one request, and when it was sent."""
Post: TypeAlias = Callable[[str, str, Keep], None]
"""Sends a form to a URL."""


class Access(ABC):
    """Where tokens come from. `asked` fills with the requests that were made for them, free of secrets."""

    source: str
    """The field of the profile that says where they come from."""

    def __init__(self, redactor: Redactor, clock: Clock) -> None:
        self._redactor = redactor
        self._clock = clock
        self._lock = threading.Lock()
        self._token = ""
        self._until = 0.0
        self._last = ""
        self._last_until = 0.0
        self._fetched = 0
        self._trouble = ""
        self._unmaskable: UnmaskableSecretError | None = None
        self._is_taken = False
        self._let_in: set[tuple[str, str]] = set()
        self._futile_until = {_UNAUTHORIZED: 0.0, _FORBIDDEN: 0.0}
        self.asked: queue.SimpleQueue[Sent] = queue.SimpleQueue()

    def token(self, post: Post, *, owed: bool = False) -> str:
        """A token that is still good; where there is none, one is got, with `post` for requests.

        Whoever waits while another thread gets one shares what comes of it. Where none was granted, what is
        `owed` to the target is put back with the last one, as long as that lives; and no other is asked for
        meanwhile, since an issuer may end all tokens of who shows a refresh token twice.

        Raises:
            TransportError: when none is granted.
            UnmaskableSecretError: when one is granted that cannot be masked without changing evidence.
        """
        known = self._fetched
        with self._lock:
            if owed and self._trouble and self._clock.now() < self._last_until:
                return self._last
            if self._clock.now() >= self._until and self._fetched == known:
                self._is_taken = False
                self._fetch(post)
                self._fetched += 1
            if self._unmaskable:
                raise self._unmaskable
            if owed and self._trouble and self._clock.now() < self._last_until:
                return self._last
            if not self._token:
                raise TransportError(f"{self.source} grants no access token: {self._trouble}")
            return self._token

    def is_outdated(self, token: str, wanted: Wanted, answer: Response | None) -> bool:
        """Whether an answer says that a token it was asked with is good no more; then another one is got."""
        request, status = (wanted.method, wanted.path), answer.status if answer else 0
        with self._lock:
            is_about_it = status == _UNAUTHORIZED or (status == _FORBIDDEN and request in self._let_in)
            if not is_about_it and status not in {0, _FORBIDDEN}:
                self._let_in.add(request)
            if token != self._token:
                return is_about_it  # another thread has a new one
            if not is_about_it:
                self._is_taken = self._is_taken or answer is not None
                return False
            if not self._is_taken or self._clock.now() < self._futile_until[status]:
                return False
            self._until = self._last_until = 0.0
            return True

    def was_futile(self, token: str, answer: Response | None) -> None:
        """Told how a request ended that was made again with a new token."""
        if answer is not None and answer.status in self._futile_until:
            with self._lock:
                self._futile_until[answer.status] = self._clock.now() + _PATIENCE_S
                self._is_taken = self._is_taken or token == self._token

    @abstractmethod
    def _fetch(self, post: Post) -> None:
        """Gets a token, and says by `_settle` what came of it."""

    def _settle(self, token: str, life_s: float, trouble: str) -> None:
        """Keeps a token that lives so long, or says why there is none."""
        self._trouble = trouble
        if trouble:
            self._token, self._until = "", 0.0
        else:
            now = self._clock.now()
            self._token, self._until = token, now + life_s * _USED
            self._last, self._last_until = token, now + life_s

    def _know(self, name: str, value: str, *, is_sent: bool) -> None:
        """Has a granted secret masked; one that cannot be masked matters only if it is sent."""
        try:
            self._redactor.add(name, value)
        except UnmaskableSecretError as error:
            if is_sent:
                self._unmaskable = UnmaskableSecretError(
                    f"{self.source} grants a token that cannot be kept: {error}"
                )
