"""Tests of the suite itself, never of a target."""
