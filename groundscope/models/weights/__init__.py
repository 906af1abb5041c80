"""Weights of local models: location, checks of a folder, downloads."""

__all__ = ["checkpoint", "entailment", "files", "grounding", "jobs", "local", "memory", "smollm2"]
