"""The search for orders of writes that contradict a clause."""
