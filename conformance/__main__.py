"""`python -m conformance` is the script `appliance-conformance`."""

from conformance.commands import main

if __name__ == "__main__":
    main(prog_name="python -m conformance")
