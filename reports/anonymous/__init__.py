"""A run without what tells whose it is, so that its reports may be posted."""
