"""Which bytes make a reader of the suite fail otherwise than it says? Coverage-guided fuzzing: `make fuzz
SECONDS=600`.

It is a script and no test: it takes minutes, and atheris (the extra `fuzz`) instruments what it imports.
"""
