"""Targets that go away in the middle of a run: what was not seen since then did not pass.

> Authentication: not shown.

Where they leave right after a write, the run cannot put back what it has written, and says so first.
"""

from functools import cached_property
from typing import ClassVar

from catalog import keys
from conformance.mutants.model import Ground, unearned
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_TOKEN, Incoming, Refusal, Reply

_FRIDGE = FRIDGE_CELSIUS.only(
    keys.CHILD_LOCK,
    keys.SETPOINT,
    keys.INTERNAL_LIGHT,
    keys.INTERNAL_BRIGHTNESS,
    keys.FRIDGE_SABBATH,
    keys.FRIDGE_DOOR,
)
_PLACES = range(3, 183, 3)
"""After how many requests a token expires: from the first reads of a run to the last ones."""
_SOME = (20, 90, 160)
_FORBIDDEN = Refusal(403, "insufficient_scope", "This token is good for nothing any more")
_OFFLINE = Refusal(409, "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "Offline")
_NOT_FOUND = Refusal(404, "404", "There is no such home appliance")
_INTERNAL = Refusal(500, "500", "Internal server error")
_LATE = Refusal(504, "504", "Gateway timeout")
_ENDS: tuple[tuple[str, str, Refusal | Reply], ...] = (
    ("access-taken", "everything is answered 403", _FORBIDDEN),
    ("offline", "every one is answered 409: the appliance is offline", _OFFLINE),
    ("forgotten", "the service does not know the appliance any more: 404", _NOT_FOUND),
    ("breaks", "every one is answered 500", _INTERNAL),
    ("gateway-late", "every one is answered 504", _LATE),
    ("line-dead", "every one ends the connection", Reply(0, drop=True)),
)
"""Name, what becomes of requests, and what they are answered."""


class Leaves(Service):
    """After a number of requests every one is answered alike.

    Attributes:
        after: how many requests are answered as they should be.
        says: what the later ones are answered.
    """

    after: ClassVar[int]
    says: ClassVar[Refusal | Reply]

    @cached_property
    def asked(self) -> list[str]:
        """The paths of all requests so far."""
        return []

    def answer(self, request: Incoming) -> Reply:
        self.asked.append(request.path)
        if len(self.asked) <= self.after:
            return super().answer(request)
        return self.refuse(self.says) if isinstance(self.says, Refusal) else self.says


# fmt: off
for _place in _PLACES:
    unearned(f"token-expires-after-{_place}", Ground.AWAY, _FRIDGE, Leaves,
        f"After {_place} requests the token is not good any more: 401 for everything.",
        ends=(3, 5), level="write", after=_place, says=INVALID_TOKEN)
for _place in _SOME:
    for _name, _comes, _says in _ENDS:
        unearned(f"{_name}-after-{_place}", Ground.AWAY, _FRIDGE, Leaves,
            f"After {_place} requests {_comes}.", ends=(3, 5), level="write", after=_place, says=_says)
