"""Quality gate for pipelines: promises about answers, whether they hold, and comparison with a baseline."""

from groundscope.gate.asserting import assert_grounded

__all__ = ["answering", "assert_grounded", "findings", "forge", "matching", "measuring", "outcomes", "rules"]
