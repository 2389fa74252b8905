"""Makes the generated requests of a run: names near those of the target, and more around a name."""
