"""What the runner of mutations puts in force; that needs none of mutmut's operators."""

from pathlib import Path

import pytest

from conformance.selftest.mutation.mutations import Mutation
from conformance.selftest.mutation.running import collected_anew

_SOURCE = "def named(): return 1\nNAMED = named()\n"


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("return 2", ["collected anew: TESTS_FAILED"]),
        ("return 1.0", []),
    ],
)
def test_function_that_runs_at_import_alone(
    after: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its mutation is in force before its module is imported, so what that led to is seen."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # what is installed costs each start a second
    module, test = tmp_path / "named_at_import.py", tmp_path / "test_named.py"
    module.write_text(_SOURCE, encoding="utf-8")
    test.write_text("from named_at_import import NAMED\ndef test_it(): assert NAMED == 1\n", encoding="utf-8")
    mutation = Mutation(module, "named", "return 1", after, _SOURCE.replace("return 1", after))
    assert collected_anew(mutation, "-p", "no:cacheprovider", test) == {"failed": found}
