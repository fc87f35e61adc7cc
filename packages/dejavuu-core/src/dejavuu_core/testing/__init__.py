"""A tiny numpy transformer as the truth, for tests of engines, drafters and verifiers.

It has true positions, an additive mask and a KV cache, so a test that passes on it has seen what
a real model would do: ignored masks, wrong positions and stale cache entries change its answers.
"""

from dejavuu_core.testing.oracle import Oracle, OracleWeights
from dejavuu_core.testing.oracle_verifier import OracleTokenizer, OracleVerifier
from dejavuu_core.testing.scripted import Guess, ScriptedDrafter, clairvoyant, second_child

__all__ = [
    "Guess",
    "Oracle",
    "OracleTokenizer",
    "OracleVerifier",
    "OracleWeights",
    "ScriptedDrafter",
    "clairvoyant",
    "second_child",
]
