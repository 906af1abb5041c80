"""The machine that a figure was measured on, to be printed beside it."""

import os
import platform
from pathlib import Path

from scorers._precision import native, processor_flags

_TELLING = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")


def describe() -> str:
    """Processor, cores, telling flags, precision and load in two lines."""
    load = ", ".join(f"{x:.2f}" for x in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"
    flags = " ".join(f for f in _TELLING if f in processor_flags()) or "unknown"
    return (
        f"processor: {_model()}, {os.cpu_count()} cores, flags: {flags}\n"
        f"Python {platform.python_version()}, local models in {native()}, load average {load}"
    )


def _model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
