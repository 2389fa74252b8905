"""The exit codes of every command; those that rest on results are `reports.results.build.exit_code`.

The module imports nothing: a signal may come before anything else is imported.
"""

USAGE = 2
INCONCLUSIVE = 3
SUITE_FAULT = 5
