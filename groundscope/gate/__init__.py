"""A gate for pipelines: promises about answers, whether they hold, and whether the answers are worse than before."""

from groundscope.gate.asserting import assert_grounded

__all__ = ["assert_grounded"]
