"""Tests of what judges generated requests."""
