"""Tests of the room `mutants`."""
