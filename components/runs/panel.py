"""Runs of methods over cases on a page."""

from components.experiments.panel import Panel
from groundscope.grounding.runs.store import KIND

PANEL = Panel(KIND, "Its judgements and its copy of the texts")
