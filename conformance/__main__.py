"""`python -m conformance` is the script `appliance-conformance`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # `-m` puts the working directory first, where a user may have a package called catalog or reports

from conformance.commands import main

if __name__ == "__main__":
    main(prog_name="python -m conformance")
