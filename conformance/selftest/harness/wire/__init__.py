"""Tests of the transport: tokens, connections, limits, redaction."""
