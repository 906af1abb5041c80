"""Which number format a local model runs in: part of every signature, so decided without loading torch."""

import platform
from functools import lru_cache
from pathlib import Path
from typing import Literal

Precision = Literal["bf16", "fp32"]
PairPrecision = Literal["bf16", "fp32", "int8"]
"""Cross-encoders also run quantised, through onnxruntime. int8 moves supports by some hundredths: other thresholds."""

_BF16_FLAGS = {"avx512_bf16", "amx_bf16"}


@lru_cache(maxsize=1)
def native() -> Precision:
    """bf16 where the processor multiplies it in hardware (AVX-512 BF16 or AMX), else fp32."""
    return "bf16" if _BF16_FLAGS & processor_flags() else "fp32"


@lru_cache(maxsize=1)
def processor_flags() -> frozenset[str]:
    """The processor's instruction-set flags; empty where the system does not tell."""
    info = Path("/proc/cpuinfo")
    if platform.system() != "Linux" or not info.exists():
        return frozenset()
    for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("flags"):
            return frozenset(line.partition(":")[2].split())
    return frozenset()
