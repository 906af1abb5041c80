"""Sensitivity: what a method sees of legal edits, and whether it says the same twice."""

from components import shell
from components.copies import page

shell.frame("Sensitivity")
shell.heading("What a method sees", "Which edits each method notices, and how often it changes its mind about the same answer.")
page.show()
