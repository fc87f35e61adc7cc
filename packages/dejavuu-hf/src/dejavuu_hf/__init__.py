"""Planned: transformers models as verifiers. Nothing is here yet."""

__version__ = "0.1.0"
