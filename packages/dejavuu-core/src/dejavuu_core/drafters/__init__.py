"""One published method a file. Names only: a drafter is imported when it is first used."""

from types import MappingProxyType

__all__ = ["BUILT_IN"]

BUILT_IN = MappingProxyType(
    {
        "baseline": "dejavuu_core.drafters.baseline:Baseline",
        "pld": "dejavuu_core.drafters.pld:PromptLookup",
    }
)
"""Method name to ``module:Class``, sorted."""
