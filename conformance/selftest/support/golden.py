"""Texts that stand whole beside the tests; `RENEW=1 pytest` writes them anew, for you to read in the diff."""

import os
from pathlib import Path
from typing import Final

from conformance.files.text_files import write_text

GOLDEN: Final = Path(__file__).parents[1] / "golden"


def assert_as_it_was(name: str, text: str) -> None:
    """The text is that of the file of this name, word for word."""
    if os.environ.get("RENEW"):
        write_text(GOLDEN / name, text)
    assert text == (GOLDEN / name).read_text(encoding="utf-8")
