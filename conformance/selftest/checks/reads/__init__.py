"""Tests of the checks of reads."""
