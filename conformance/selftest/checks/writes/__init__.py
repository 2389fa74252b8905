"""Tests of the checks of writes."""
