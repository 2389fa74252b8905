"""Servers that tests judge, record or read from."""
