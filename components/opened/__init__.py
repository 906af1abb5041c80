"""What a page has open: a case with its bar, or a run with its thresholds, its split and its figures."""

__all__ = ["case_bar", "choice", "rag_results", "record", "run_figures", "run_words", "runs", "starting", "two_answers"]
