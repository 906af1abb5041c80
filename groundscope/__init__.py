"""The library: cases, methods, statistics and experiments. No user interface, no models."""

__version__ = "0.1.0"
