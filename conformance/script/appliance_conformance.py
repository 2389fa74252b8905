"""The script `appliance-conformance`: it finds the rooms of the suite, whatever else is on Python's path.

Whatever goes wrong before a command has begun ends it with 5 and one line: 1 says that a target does not
conform.
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

ROOMS = ("catalog", "conformance", "reports")
_OWN = next(place for place in Path(__file__).resolve().parents if (place / "conformance").is_dir())
"""Where the rooms are: beside this file in a wheel, above it in a checkout."""
_SUITE_FAULT = 5


def main() -> None:
    """Runs the command line."""
    try:
        put_own_rooms_first(sys.path)
        from conformance.__main__ import main as command_line  # noqa: PLC0415  where it is found was decided just now
    except BaseException as error:  # noqa: BLE001  whatever it is
        end(error)
    command_line()


def put_own_rooms_first(path: list[str]) -> None:
    """Puts the directory of the rooms before any other in `path` that has a package named like a room."""
    for number, place in enumerate(path):
        here = Path(place or ".")
        if here.resolve() == _OWN:
            return
        if any((here / room).is_dir() or (here / f"{room}.py").is_file() for room in ROOMS):
            path.insert(number, str(_OWN))
            return


def end(error: BaseException) -> NoReturn:
    """Ends the process with 5 and one line."""
    reason = next(iter(str(error).splitlines()), "")[:1_000]
    text = f"appliance-conformance cannot start: {type(error).__name__}: {reason}\n"
    try:
        os.write(2, text.encode("ascii", "backslashreplace"))
    finally:
        os._exit(_SUITE_FAULT)
