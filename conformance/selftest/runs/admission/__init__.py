"""Tests of what a run asks before it begins."""
