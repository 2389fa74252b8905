"""Reports with stand-ins."""
