"""The version, the same for all packages."""

__all__ = ["__version__"]

__version__ = "0.1.0"
