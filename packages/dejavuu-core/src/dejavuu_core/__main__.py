"""``python -m dejavuu_core``: the command line."""

import sys

from dejavuu_core.cli import main

sys.exit(main())
