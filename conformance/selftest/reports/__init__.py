"""Tests of the room `reports`."""
