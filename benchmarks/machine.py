"""The machine that a figure was measured on, to be printed beside it."""

from groundscope.machine import load, stamp
from scorers._pairs.precision import native


def describe() -> str:
    """Processor, cores, telling flags, versions, precision and load."""
    processor, versions = stamp()
    return f"processor: {processor}\n{versions}; local models in {native()}, load average {load()}"
