"""Templates in their compiled form, kept where Python keeps that of modules.

To compile those of report.html takes an eighth of a second.
"""

import sys
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from jinja2.bccache import Bucket, FileSystemBytecodeCache


class CompiledTemplates(FileSystemBytecodeCache):
    """Compiles again what cannot be read; keeps nothing where nothing can be written."""

    def __init__(self, directory: Path) -> None:
        """`directory` is made with the first template that is kept."""
        super().__init__(str(directory), f"%s-{version('jinja2')}.jinja2")

    def load_bytecode(self, bucket: Bucket) -> None:
        """Reads a template; bytes that were altered may raise anything."""
        with suppress(Exception):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Writes a template, unless Python is told to write none of its own."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                Path(self.directory).mkdir(exist_ok=True)
                super().dump_bytecode(bucket)
