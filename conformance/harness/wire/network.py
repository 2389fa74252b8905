"""What a run reaches its target through: what opens connections, and what makes several requests at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import NamedTuple

import httpcore


class Network(NamedTuple):
    """What opens connections, what makes as many requests at once as it is told, and what speaks HTTP."""

    backend: httpcore.NetworkBackend
    pool: Callable[[int], Executor]
    connections: Callable[..., httpcore.ConnectionPool] = httpcore.ConnectionPool


SOCKETS = Network(httpcore.SyncBackend(), ThreadPoolExecutor)
"""The network of the system, with a thread for each request."""
