"""One run: what it is made of, who may make it, and what is left of it."""
