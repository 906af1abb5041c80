"""Sensitivity: what a method sees of legal errors, and whether it says the same twice."""

from components import shell
from components.copies import page

shell.frame("Sensitivity")
shell.heading("What a method sees", "Which legal errors each method notices, and whether it says the same of an answer twice.")
page.show()
