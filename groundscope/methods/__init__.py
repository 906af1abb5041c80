"""Methods: their base class, their descriptions, and the registry that finds them."""

from groundscope.methods.about import EVEN, RAGBENCH, About, Paper, Requirement, download_size
from groundscope.methods.method import Embeds, Method, Unloadable, same_method

__all__ = ["EVEN", "RAGBENCH", "About", "Embeds", "Method", "Paper", "Requirement", "Unloadable", "download_size", "same_method"]
