"""Methods: their base class, their descriptions, and the registry that finds them."""

from groundscope.methods.method import (
    AGGREFACT,
    EVEN,
    RAGBENCH,
    About,
    Embeds,
    Method,
    Paper,
    Published,
    Requirement,
    Unloadable,
    aggrefact,
    download_size,
    same_method,
)

__all__ = [
    "AGGREFACT",
    "EVEN",
    "RAGBENCH",
    "About",
    "Embeds",
    "Method",
    "Paper",
    "Published",
    "Requirement",
    "Unloadable",
    "aggrefact",
    "download_size",
    "same_method",
]
