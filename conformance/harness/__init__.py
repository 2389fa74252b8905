"""Talking: the only place that does input and output with a target."""
