"""Checks of what writing did: settings, power states, lights, cooling modes, and what must have no effect."""
