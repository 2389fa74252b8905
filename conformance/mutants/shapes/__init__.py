"""The shapes of faults and of oddities: a class of the reference that overrides a method, made of data."""
