"""Whether a run may begin: locks, what appliances are owed, and where both are kept."""
