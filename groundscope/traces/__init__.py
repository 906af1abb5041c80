"""Answers of a running system, read from its traces: spans to cases, judged by a few methods, measured by day and version."""
