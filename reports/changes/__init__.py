"""Two runs compared: what changed between them, and who changed it."""
