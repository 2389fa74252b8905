"""The default target: a small server that implements the whole document from the catalog's tables."""
