"""Tests of generated requests and writes."""
