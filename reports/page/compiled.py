"""Templates in their compiled form, kept where Python keeps that of modules.

To compile those of report.html takes an eighth of a second. Whatever is wrong with what is kept, a template
is compiled again; where nothing can be written, nothing is kept.
"""

import sys
from contextlib import suppress
from hashlib import sha256
from importlib.metadata import version
from importlib.util import cache_from_source
from pathlib import Path

from jinja2.bccache import Bucket, BytecodeCache

from conformance.files.text_files import write_bytes


class CompiledTemplates(BytecodeCache):
    """Keeps each template in `__pycache__` beside it."""

    def __init__(self, made_by: str) -> None:
        """`made_by` is the file that says how templates are compiled: another one, another form."""
        self._made_by = version("jinja2") + Path(made_by).read_text(encoding="utf-8")

    def get_cache_key(self, name: str, filename: str | None = None) -> str:
        """The file of a template's compiled form."""
        return str(Path(cache_from_source(filename or name)).with_suffix(".jinja2"))

    def get_source_checksum(self, source: str) -> str:
        """What a compiled form was made of, which begins its file."""
        return sha256(f"{self._made_by}{source}".encode()).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        """Reads a template, if it is there as it was written and was made of what it is to be made of."""
        with suppress(Exception):  # bytes that were altered may raise anything
            bucket.bytecode_from_string(Path(bucket.key).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Writes a template, unless Python is told to write none of its own."""
        if not sys.dont_write_bytecode:
            with suppress(OSError):
                write_bytes(Path(bucket.key), [bucket.bytecode_to_string()])
