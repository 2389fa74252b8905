"""Mutation testing: which small faults in the judge do its own fast tests find?

`python -m conformance.selftest.mutation checks --sample 300 --seed 1` (`make mutation`). It is a script and
no test: it takes minutes. The operators are those of mutmut (the extra `mutation`). Its runner is not used:
it leaves out every function with a decorator, which most checks have, draws no sample, and does not say
which tests find what.
"""
