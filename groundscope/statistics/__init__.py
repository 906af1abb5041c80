"""Statistics of labels and supports: metrics, intervals, tests, curves, calibration."""

__all__ = [
    "bootstrap", "calibration", "chance", "curves", "decision", "exchangeability", "metrics", "power", "raters", "risk",
    "significance", "tuned",
]  # fmt: skip
