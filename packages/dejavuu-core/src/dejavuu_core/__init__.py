"""dejavuu's core: guesses from text already seen, checked by the model, kept only where right.

The rooms, in the order in which data runs through them; each imports only from its left::

    errors, checks, home | contract | retrieval, tree | drafters, accept | prompt, stop, stats
           | engine | registry | facade | testing | cli

Start with :class:`DejaVu`; to see how a text comes about, read ``engine.decode``.
"""

from dejavuu_core.errors import DejavuuError
from dejavuu_core.facade import DejaVu, Result
from dejavuu_core.version import __version__

__all__ = ["DejaVu", "DejavuuError", "Result", "__version__"]
