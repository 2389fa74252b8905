"""The results of a run: their model, how they are built from cases, and their file."""
