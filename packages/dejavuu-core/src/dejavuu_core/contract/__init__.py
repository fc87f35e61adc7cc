"""The promises: what a drafter and a verifier owe each other. Imports nothing else of ours.

A :class:`Drafter` guesses, a :class:`Verifier` checks, a :class:`Step` tells what came of it.
"""

from dejavuu_core.contract.capabilities import Capabilities, Exactness
from dejavuu_core.contract.draft import Draft
from dejavuu_core.contract.drafter import Drafter, Drafting, Limit, Method
from dejavuu_core.contract.needs import Needs
from dejavuu_core.contract.request import Request
from dejavuu_core.contract.step import Seconds, Step
from dejavuu_core.contract.tokenizer import Message, Tokenizer
from dejavuu_core.contract.verifier import Rows, Session, Verifier

__all__ = [
    "Capabilities",
    "Draft",
    "Drafter",
    "Drafting",
    "Exactness",
    "Limit",
    "Message",
    "Method",
    "Needs",
    "Request",
    "Rows",
    "Seconds",
    "Session",
    "Step",
    "Tokenizer",
    "Verifier",
]
