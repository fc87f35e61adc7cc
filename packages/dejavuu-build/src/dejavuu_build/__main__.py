"""``python -m dejavuu_build``."""

from dejavuu_build.cli import main

raise SystemExit(main())
