"""Tests of how results are built."""
