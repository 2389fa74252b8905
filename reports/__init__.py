"""What is said about a run: one results.json, and every report as a rendering of it."""
