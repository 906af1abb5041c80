"""Statistics of labels and supports: metrics, intervals, tests, curves, calibration."""
