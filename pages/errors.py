"""Errors: which errors a method misses, by type; its false alarms; and the cases behind each number."""

from components import errors_view, run_choice, shell

shell.frame("Errors")
shell.heading(
    "Errors", "What each method misses, by type of error, which sound answers it flags, and the cases behind each number."
)
chosen = run_choice.choose("errors")
if chosen is not None:
    errors_view.show(chosen)
