"""summary.md on the page of a job: build servers of GitHub's kind name a file for it in `GITHUB_STEP_SUMMARY`.

Other steps may have written to the file, and one of more than 1 MiB is dropped whole: what does not fit is not added.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE: Final = "GITHUB_STEP_SUMMARY"
MOST_BYTES: Final = 1_048_576


def append_summary(summary: Path, environment: Mapping[str, str]) -> str:
    """Adds `summary` to the file the build server names, where it names one; answers why it could not, or nothing."""
    place = environment.get(VARIABLE)
    if not place or not summary.is_file():
        return ""
    try:
        text = summary.read_bytes()
        with Path(place).open("ab") as page:
            if page.tell() + len(text) > MOST_BYTES:
                return f"{VARIABLE}: {summary.name} is not added, since a page of more than 1 MiB would be dropped"
            page.write(text)
    except OSError as problem:
        return f"{VARIABLE}: {summary.name} is not added: {problem.strerror or problem}"
    return ""
