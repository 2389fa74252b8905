"""Tests of the room `checks`."""
