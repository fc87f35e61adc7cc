"""``python -m bench``, from the root of a checkout."""

import sys

from bench.cli import main

sys.exit(main())
