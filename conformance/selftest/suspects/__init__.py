"""Tests of the search for whose fault a finding is."""
