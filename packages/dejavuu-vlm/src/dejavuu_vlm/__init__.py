"""Planned: vision-language models. Nothing is here yet."""

__version__ = "0.1.0"
