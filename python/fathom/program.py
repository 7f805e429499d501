"""The command: `fathom`, and `python -m fathom`."""

from __future__ import annotations

import sys

from . import _core


def main() -> int:
    """Runs sys.argv and returns the exit status. Ctrl-C is the command's from here on."""
    return _core.run_program(["fathom", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
