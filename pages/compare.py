"""Compare: F1 against latency, the results table, significance."""

from components import shell
from components.compare import page
from components.opened import choice

shell.frame("Compare", "Which method finds most errors, how fast, and with what certainty.")
if run := choice.choose("compare"):
    page.show(run)
