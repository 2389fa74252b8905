"""Tests of the processes of a run."""
