"""Runs of arguments on a page."""

from components.experiments.panel import Panel
from groundscope.arguments import runs

PANEL = Panel(runs.KIND, "Its triples, arguments and extracted factors")
