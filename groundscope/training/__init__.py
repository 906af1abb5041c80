"""Training: classifiers fine-tuned on labelled cases."""

__all__ = ["finetuning", "folders", "further_pairs", "jobs", "options", "pair_figures", "pairs"]
