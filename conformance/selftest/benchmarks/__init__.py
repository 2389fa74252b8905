"""Tests of the benchmarks: they run, and say what they measured."""
