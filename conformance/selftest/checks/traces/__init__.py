"""Tests of reading what writes did."""
