"""Errors: which errors a method misses, by type; its false alarms; and the cases behind each number."""

from components import shell
from components.errors import page
from components.opened import choice

shell.frame("Errors", "Which errors each method misses, by type; which sound answers it flags; and the cases behind each number.")
if run := choice.choose("errors"):
    page.show(run)
