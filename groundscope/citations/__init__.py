"""Legal citations: read with offsets, resolved, looked up in a context, and scored by L-FRESCO and FRESCO."""

__all__ = [
    "authorities", "batch", "claims", "comparing", "decomposing", "explain", "fresco", "points", "quotes", "reader",
    "similarity", "source_facts", "states", "whole_texts",
]  # fmt: skip
