"""The kill matrix: trials of mutants and variants, problems, the published file."""
