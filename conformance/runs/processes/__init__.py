"""The processes of a run: pytest, its items, signals, and what the terminal shows meanwhile."""
