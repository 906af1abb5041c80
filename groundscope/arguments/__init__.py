"""3-ply legal arguments (Zhang, Gray, Savelka and Ashley 2025): invented factors, unused factors, and abstention."""

__all__ = [
    "arguers", "asking", "catalogue", "extraction", "loading", "parsing", "prompts", "records", "report", "runs", "scenarios",
    "scoring", "summary", "types",
]  # fmt: skip
