"""Tours: fixed lists of writes that hold every short order, for faults that only an order of writes shows."""
