"""Tests of the model of an appliance: row by row."""
