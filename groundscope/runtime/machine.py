"""Description of the machine that a figure was measured on."""

import os
import platform
import shutil
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

_UNKNOWN = 8_000_000_000
_RELEVANT_FLAGS = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16", "amx_int8")
_PACKAGES = ("torch", "transformers", "sentence-transformers", "onnxruntime", "nupunkt", "numpy")


@lru_cache(maxsize=1)
def processor_flags() -> frozenset[str]:
    """List the processor's instruction-set flags."""
    return frozenset(_cpuinfo("flags").split())


def processor() -> str:
    """Find the processor's name."""
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def _cpuinfo(entry: str) -> str:
    """What Linux says of the first processor; empty where it does not."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8", errors="replace").splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(entry)), "")


class Machine(NamedTuple):
    """What decides which models run here."""

    memory: int
    graphics: bool


@lru_cache(maxsize=1)
def this_machine() -> Machine:
    """Look at memory and graphics card, without loading torch."""
    try:
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        memory = _UNKNOWN
    return Machine(memory, any(Path("/proc/driver/nvidia/gpus").glob("*")) or shutil.which("nvidia-smi") is not None)


def load() -> str:
    """Read the load average at this moment."""
    return ", ".join(f"{x:.2f}" for x in os.getloadavg()) if hasattr(os, "getloadavg") else "unknown"


def stamp() -> tuple[str, ...]:
    """Describe the machine and the packages that results depend on; nothing that changes by the minute."""
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
