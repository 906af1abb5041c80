"""Groundedness of answers (Trautmann et al. 2024): results, rules, comparisons and misclassified responses."""

__all__ = [
    "comparing", "export", "imported", "latency", "level_results", "levels", "misclassified", "paper_tables", "parts",
    "result_columns", "results", "rules", "run_findings", "runs", "sensitivity", "sharded", "stability", "study", "tables",
    "three_answers", "track_record", "tuning",
]  # fmt: skip
