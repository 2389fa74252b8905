"""Many runs of one target: what failed since when, what was fixed, and what comes and goes."""
