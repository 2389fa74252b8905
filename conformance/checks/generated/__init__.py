"""Judges the generated requests of a run: what names outside the catalog yield, and what reading changes."""
