"""One run of the suite in the process that all others are forked from, so that none of them imports or
compiles anything.

Nothing listens where the run looks for its target, so that it starts no thread that outlives it.
"""

import gc
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from conformance.harness.generated.drawing import drawn_names
from conformance.mutants.hostile.model import hostile_profile
from conformance.mutants.hostile.servers import BY_NAME
from conformance.mutants.registry import load_mutants
from conformance.profiles.toml import toml_of
from conformance.runs.asked import Asked
from conformance.runs.identity import catalog_digest, judging_digest
from conformance.runs.processes.driving import Driving
from conformance.runs.processes.pytest_process import fixed_words
from reports.kills import published_kills
from reports.results.file import RESULTS_FILE, load_outcome

catalog_digest()
judging_digest()
published_kills()
load_mutants()
drawn_names(("/key",), ("appliance",), "", 1)
with TemporaryDirectory() as directory, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
    profile = Path(directory, "target.toml")
    profile.write_text(toml_of(hostile_profile(BY_NAME["silent"], "http://127.0.0.1:9")), encoding="utf-8")
    plugin = Driving(Asked(str(profile), Path(directory)))
    pytest.main(["--disable-plugin-autoload", "--capture=no", *fixed_words()], plugins=[plugin])
    load_outcome(Path(directory, RESULTS_FILE))
gc.freeze()  # whoever is forked looks for garbage among its own objects alone
gc.set_threshold(20_000, 50, 100)  # and as seldom as in the command that a user's process is forked from
