"""summary.md on the page of a job, where the build server names a file for it (`GITHUB_STEP_SUMMARY`).

Other steps may have written to the file, and one of more than 1 MiB is dropped whole: what does not fit is
not added.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

VARIABLE: Final = "GITHUB_STEP_SUMMARY"
MOST_BYTES: Final = 1_048_576


def append_summary(summary: Path, environment: Mapping[str, str]) -> str:
    """Adds `summary` to the file the build server names, if it names one; returns why it could not."""
    place = environment.get(VARIABLE)
    if not place or not summary.is_file():
        return ""
    try:
        text = summary.read_bytes()
        with Path(place).open("ab") as page:
            if page.tell() + len(text) > MOST_BYTES:
                return f"{VARIABLE}: {summary.name} is not added: a page of more than 1 MiB would be dropped"
            page.write(text)
    except OSError as problem:
        return f"{VARIABLE}: {summary.name} is not added: {problem.strerror or problem}"
    return ""
