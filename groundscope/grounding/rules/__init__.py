"""Rules that turn supports into verdicts: frozen under a name, tuned again on draws of their tuning set, carrying a promise."""

__all__ = ["frozen_rules", "generalization", "promises", "run_with_rules"]
