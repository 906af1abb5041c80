"""Methods: their base class, their descriptions, and the registry that finds them."""

from groundscope.methods.board import starting
from groundscope.methods.method import (
    EVEN,
    About,
    Embeds,
    Method,
    Published,
    Requirement,
    Unloadable,
    download_size,
    same_method,
)

__all__ = [
    "EVEN", "About", "Embeds", "Method", "Published", "Requirement", "Unloadable", "advice", "asking", "board", "defaults",
    "download_size", "functions", "method", "registry", "same_method", "starting",
]  # fmt: skip
