"""The default target: a small server that implements the whole document, driven by the catalog's own tables."""
