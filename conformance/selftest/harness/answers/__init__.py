"""Tests of reading answers: bytes, members, classes."""
