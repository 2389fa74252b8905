"""The script `appliance-conformance`, which is also `python -m conformance`."""

import gc
import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[
        0
    ]  # `-m` puts the working directory first, where a user may have a package called catalog or reports

from conformance.runs.exit_codes import SUITE_FAULT
from conformance.runs.processes.interruption import EndAtOnce
from conformance.runs.processes.outlets import open_streams


def main(prog_name: str | None = None) -> None:
    """Runs the command line; a signal that comes before a command has begun ends it with 3 and one line."""
    EndAtOnce("interrupted before anything was sent").install()
    open_streams()
    # looking for garbage among what is imported, of which none is, takes a tenth of the time
    gc.set_threshold(20_000, 50, 100)
    try:
        from conformance.commands import main as command_line  # noqa: PLC0415  importing click takes a moment, in which a signal may come
    except BaseException as error:  # noqa: BLE001  whatever is imported may end the process
        print(f"appliance-conformance cannot start: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201  there is nothing yet that could say it
        sys.exit(SUITE_FAULT)
    try:
        command_line(prog_name=prog_name)
    finally:
        gc.freeze()  # nor at the end: the process gives everything back at once


if __name__ == "__main__":
    main("python -m conformance")
