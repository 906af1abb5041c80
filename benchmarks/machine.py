"""The machine that a figure was measured on, to be printed beside it."""

from collections.abc import Iterable
from itertools import chain

from groundscope.models.weights.memory import native
from groundscope.paths import ROOT
from groundscope.runtime.machine import load, stamp

SAMPLES = ROOT / "sample_data" / "legal_qa.jsonl"
"""The sample set, which most figures are measured on."""


def show(lines: Iterable[str]) -> None:
    """Print the machine, then all lines as they come."""
    for line in chain([describe()], lines):
        print(line, flush=True)


def describe() -> str:
    """Processor, cores, telling flags, versions, precision and load."""
    processor, versions = stamp()
    return f"processor: {processor}\n{versions}; local models in {native()}, load average {load()}"
