"""Tests of comparing two runs."""
