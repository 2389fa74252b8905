"""Tests of the history of many runs."""
