"""`python -m discreet` is the command `discreet`."""

import sys

from discreet.cli import main

if __name__ == "__main__":
    sys.exit(main())
