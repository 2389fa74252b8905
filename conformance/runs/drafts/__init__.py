"""Profiles that are drafted: each key is read once, what it shows is claimed, and guesses are marked."""
