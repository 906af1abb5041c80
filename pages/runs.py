"""Runs: many methods over many cases, started, paused, resumed and kept."""

from components import new_run, runs_under_way, runs_view, shell

shell.frame("Runs")
shell.heading(
    "Runs", "Judge a whole set by several methods. Every judgement is kept as it comes: pause, leave, close, and go on."
)
runs_under_way.under_way()
shell.section("New run")
new_run.show()
runs_view.finished()
