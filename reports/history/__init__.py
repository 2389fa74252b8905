"""Many runs of one target: what failed since when, what was mended, and what comes and goes."""
