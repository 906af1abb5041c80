"""The commands of `python -m groundscope`: they connect methods and evaluation, and measure nothing themselves."""

__all__ = ["server", "terminal"]
