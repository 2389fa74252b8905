"""The processes of a run: pytest, its items and workers, signals, and what the terminal shows meanwhile."""
