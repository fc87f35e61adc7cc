"""Trees of rows: who hangs from whom, at which depth, and who sees whom."""

from dejavuu_core.tree.layout import depths, spine_first, visible, widest

__all__ = ["depths", "spine_first", "visible", "widest"]
