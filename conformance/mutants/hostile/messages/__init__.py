"""Hostile servers whose messages, connections or headers attack."""
