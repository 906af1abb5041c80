"""Number format of a local model: part of every signature, so chosen without loading torch."""

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from groundscope.runtime.machine import processor_flags, this_machine

Precision = Literal["bf16", "fp32"]
PairPrecision = Literal["bf16", "fp32", "int8"]
"""Cross-encoders also run quantised, through onnxruntime. int8 moves supports by some hundredths: other thresholds."""

_BF16_FLAGS = {"avx512_bf16", "amx_bf16"}


@lru_cache(maxsize=1)
def native() -> Precision:
    """The fast number format here: `bf16` where the processor multiplies it in hardware (AVX-512 BF16 or AMX), else `fp32`."""
    return "bf16" if _BF16_FLAGS & processor_flags() else "fp32"


@lru_cache(maxsize=1)
def fast() -> Precision:
    """The fast number format of models that run on a graphics card where there is one: `bf16` there, else `native`."""
    try:
        # Torch without CUDA says so in its version, and need not be loaded for that.
        cuda = this_machine().graphics and not version("torch").endswith("+cpu")
    except PackageNotFoundError:
        cuda = False
    return "bf16" if cuda else native()
