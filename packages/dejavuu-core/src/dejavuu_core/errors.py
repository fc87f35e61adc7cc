"""The named mistakes. Each is also the builtin error that a caller would catch anyway.

Every message is one sentence: what was wrong, with the value, and the way out.
"""

__all__ = [
    "ClosedError",
    "DejavuuError",
    "DraftError",
    "ModelError",
    "PluginError",
    "UnknownNameError",
    "UnsupportedError",
    "UsageError",
]


class DejavuuError(Exception):
    """Root of all errors that dejavuu raises on purpose."""


class UsageError(DejavuuError, ValueError):
    """The caller's argument cannot be used: an empty prompt, a count below one, a foreign id."""


class UnknownNameError(UsageError, LookupError):
    """No drafter or verifier has that name: it is misspelled or not installed."""


class ModelError(DejavuuError, ValueError):
    """A model folder or file is missing, damaged, or not one that this backend can run."""


class PluginError(DejavuuError, ImportError):
    """An installed plug-in cannot be used: it fails to import, or two claim one name."""


class DraftError(DejavuuError, ValueError):
    """A drafter broke the contract: too many rows, an id outside the vocabulary, a bad parent."""


class UnsupportedError(DejavuuError, NotImplementedError):
    """The backend declares that it cannot do this, such as verifying a branched draft."""


class ClosedError(DejavuuError, RuntimeError):
    """A session was used after ``close``, or before its prompt was read."""
