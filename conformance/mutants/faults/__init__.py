"""Servers with one fault each: the proof that every check can fail."""
