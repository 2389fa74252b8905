"""The gym: its servers, and what is said of a client."""
