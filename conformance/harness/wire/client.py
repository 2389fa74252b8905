"""The HTTP client library, named here alone: another release line of it takes one line, not one a module."""

import httpx

__all__ = ["httpx"]
