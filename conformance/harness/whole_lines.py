"""Lines on a disk that may be full: each is written whole or not at all."""

from __future__ import annotations

import io


def append(file: io.FileIO, text: str) -> None:
    """Writes `text` at the end of a file.

    Raises:
        OSError: when it could not all be written; then nothing of it is there.
    """
    end, rest = file.tell(), memoryview(text.encode())
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        file.seek(end)
        file.truncate()
        raise
