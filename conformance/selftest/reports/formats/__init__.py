"""Tests of the other renderings of results.json."""
