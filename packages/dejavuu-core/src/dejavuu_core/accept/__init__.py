"""Accept rules: which drafted rows are what the model would have written anyway."""

from dejavuu_core.accept.greedy import accept_greedy

__all__ = ["accept_greedy"]
