"""Runs pytest with a mutation in force before anything is imported: what a module does with its functions at
import shows no fault that is put into them later. `python -m conformance.selftest.mutation.anew FILE SOURCE
[ARGUMENT OF PYTEST]...`.
"""

import sys
from importlib.machinery import SourceFileLoader
from types import CodeType

import pytest


def main(file: str, source: str, *arguments: str) -> int:
    """How pytest ends, with this source in place of that of a file."""
    unchanged = SourceFileLoader.get_code

    def changed(loader: SourceFileLoader, name: str) -> CodeType | None:
        return compile(source, file, "exec") if loader.path == file else unchanged(loader, name)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SourceFileLoader, "get_code", changed)
        return pytest.main([*arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
