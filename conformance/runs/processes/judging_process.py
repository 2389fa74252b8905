"""The process in which a run is judged: pytest, which a signal ends at once as long as nothing has been sent.

`python -P -m conformance.runs.processes.judging_process PYTEST_ARGUMENTS`. From the first request on the run
handles the signals itself (`conformance.harness.writes.keeping`): it puts back what it wrote and writes
its files. What there is to say, the command says that started the process.
"""

from conformance.runs.processes.interruption import EndAtOnce

if __name__ == "__main__":
    EndAtOnce().install()

    import pytest

    raise SystemExit(pytest.main())
