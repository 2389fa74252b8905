"""The HTTP client library, named here alone: another release line of it takes one line, not one a module.

Where rich is installed, httpx imports it for a command line program of its own, which nobody here starts.
"""

import sys
from typing import Any, cast

sys.modules.setdefault("httpx._main", cast("Any", None))

import httpx  # noqa: E402  it looks for its program when it is imported

__all__ = ["httpx"]
