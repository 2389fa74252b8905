"""What a client did not survive: on the terminal, as a page, as JUnit."""
