"""Tests of drafting a profile."""
