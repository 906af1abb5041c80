"""Runs: many methods over many cases, started, paused, resumed and kept."""

from components import shell
from components.runs import new_run, page, study

shell.frame(
    "Runs", "Judge a whole set by several methods. Every judgement is saved as it comes: pause, leave, close, and resume."
)
page.PANEL.under_way()
page.others()
shell.section("New run")
study.show()
new_run.show()
page.finished()
