"""Sensitivity: which kinds of legal edits each method notices, and which changes of form it takes for errors."""

from components import shell
from components.runs import choice
from components.runs import page as runs_page
from components.runs.sensitivity import new, page
from groundscope.grounding.sensitivity.pairs import SOURCE

shell.frame("Sensitivity")
shell.heading(
    "Sensitivity",
    "Does a method see the difference? Sound sentences, each beside a copy with one legal edit, or with a change of form alone.",
)
chosen = choice.choose("sensitivity", SOURCE)
if chosen is not None:
    page.show(chosen)
runs_page.PANEL.under_way()
shell.section("New pairs")
new.show()
