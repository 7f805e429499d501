"""`python -m fathom`."""

import sys

from .program import main

sys.exit(main())
