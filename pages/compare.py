"""Compare: F1 against latency, the results table, significance."""

from components import compare_view, run_choice, shell

shell.frame("Compare")
shell.heading("Compare", "Which method finds most errors, how fast, and how sure that is.")
if open_ := run_choice.choose("compare"):
    compare_view.show(open_)
