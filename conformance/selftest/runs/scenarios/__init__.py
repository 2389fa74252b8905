"""Whole runs as rows: a server, what a run of it may do, and what that must come to."""
