"""Whose fault is a finding? Searches for the edit of the profile that would make it vanish."""
