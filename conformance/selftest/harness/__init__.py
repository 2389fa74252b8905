"""Tests of the room `harness`."""
