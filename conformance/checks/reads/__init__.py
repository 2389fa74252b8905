"""Checks of what reading shows: paths, types, enumerations, ranges, units, states."""
