"""Who listens to a service, and what is still to be told.

> an event is sent. Event names, kinds and payloads: not shown.

A subscription can be filled from any thread; the one that sends it is woken.
"""

from collections import deque
from collections.abc import Callable

from msgspec import Struct


class Event(Struct, frozen=True):
    """One message of a stream of server-sent events; `data` is JSON, `ha_id` its id."""

    kind: str
    data: str
    ha_id: str


class Subscription:
    """What one listener has not been sent yet, of one appliance or, where `ha_id` is None, of all.

    Each `tick` looks at the clock of the service, and says in how many seconds the next one is due, if any.
    """

    def __init__(self, channel: "Channel", ha_id: str | None, tick: Callable[[], float | None]) -> None:
        self.ha_id = ha_id
        self.tick = tick
        self.closed = False
        self.wake: Callable[[], object] = bool  # there is no sender yet
        self._channel = channel
        self._pending: deque[Event] = deque()

    def put(self, event: Event) -> None:
        """Keep an event for the listener, if it is about its appliance."""
        if self.ha_id in {None, event.ha_id}:
            self._pending.append(event)
            self.wake()

    def take(self) -> list[Event]:
        """Give out what is pending, the oldest first."""
        return [self._pending.popleft() for _ in range(len(self._pending))]

    def close(self) -> None:
        """Hear nothing any more, and let the sender end."""
        self.closed = True
        self._channel.forget(self)
        self.wake()


class Channel:
    """All listeners of one service."""

    def __init__(self) -> None:
        self._subscriptions: set[Subscription] = set()

    def subscribe(self, ha_id: str | None, tick: Callable[[], float | None]) -> Subscription:
        """Begin to listen to one appliance, or with None to all."""
        subscription = Subscription(self, ha_id, tick)
        self._subscriptions.add(subscription)
        return subscription

    def forget(self, subscription: Subscription) -> None:
        """Drop a listener; one that is not there is no mistake."""
        self._subscriptions.discard(subscription)

    def publish(self, event: Event) -> None:
        """Tell everyone who listens to the appliance of the event."""
        for subscription in tuple(self._subscriptions):
            subscription.put(event)

    def nudge(self) -> None:
        """Wake every sender, because the moment it waits for has moved."""
        for subscription in tuple(self._subscriptions):
            subscription.wake()

    @property
    def quiet(self) -> bool:
        """Whether nobody listens, so that no event need be written."""
        return not self._subscriptions

    def close(self) -> None:
        """End every stream; a server does this before it stops."""
        for subscription in tuple(self._subscriptions):
            subscription.close()
