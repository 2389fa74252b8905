"""Hostile servers whose messages are well formed and whose contents attack."""
