"""Methods: their base class, their descriptions, and the registry that finds them."""

from groundscope.methods.method import (
    EVEN,
    RAGBENCH,
    About,
    Embeds,
    Method,
    Paper,
    Published,
    Requirement,
    Unloadable,
    download_size,
    same_method,
)

__all__ = [
    "EVEN", "RAGBENCH", "About", "Embeds", "Method", "Paper", "Published", "Requirement", "Unloadable", "download_size",
    "same_method",
]  # fmt: skip
