"""Mutation testing: which small faults in the judge do its own fast tests find?

`python -m conformance.selftest.mutation checks --sample 300 --seed 1` (`make mutation`). It is a script and
no test: it takes minutes. The operators are those of mutmut (the extra `mutation`). No other
runner serves: that of mutmut 3.8 leaves out every function with a decorator, which most checks have, and
draws no sample; pytest-gremlins 1.12 has switched off its forks, since they ran the code unchanged;
cosmic-ray 8.7 changes no argument and no text, two thirds of these mutations, and starts pytest for each.
"""
