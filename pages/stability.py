"""Stability: how often a judge changes its mind about the same answer."""

from components import shell
from components.runs import choice
from components.runs import page as runs_page
from components.runs.stability import new, page
from groundscope.grounding.stability.readings import SOURCE

shell.frame("Stability")
shell.heading(
    "Stability",
    "Does a method say the same twice? The same answers, asked about again, in another order, and in other words.",
)
chosen = choice.choose("stability", SOURCE, labelled=False)
if chosen is not None:
    page.show(chosen)
runs_page.PANEL.under_way()
shell.section("New readings")
new.show()
