"""Description of the machine that a figure was measured on."""

import os
import platform
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_RELEVANT_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")
_PACKAGES = ("torch", "transformers", "sentence-transformers", "onnxruntime", "nupunkt", "numpy")


@lru_cache(maxsize=1)
def processor_flags() -> frozenset[str]:
    """The processor's instruction-set flags; empty where the system does not list them."""
    info = Path("/proc/cpuinfo")
    if platform.system() != "Linux" or not info.exists():
        return frozenset()
    for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("flags"):
            return frozenset(line.partition(":")[2].split())
    return frozenset()


def processor() -> str:
    """The processor's name."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def load() -> str:
    """The load average at this moment."""
    return ", ".join(f"{x:.2f}" for x in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


def stamp() -> tuple[str, ...]:
    """Processor, cores, instruction sets and package versions that results depend on; nothing that changes by the minute."""
    flags = " ".join(f for f in _RELEVANT_FLAGS if f in processor_flags()) or "unknown"
    versions = []
    for package in _PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return (
        f"{processor()}, {os.cpu_count()} cores, flags: {flags}",
        f"{platform.system()}, Python {platform.python_version()}, {', '.join(versions)}",
    )
