"""Citation recall: does a text cite every authority of a reference, and for the same claim? L-FRESCO and FRESCO."""

from components import shell
from components.citations import page

shell.frame("Citation recall")
shell.heading(
    "Citation recall",
    "Does an analysis cite the right authorities, and for what they say? After L-FRESCO and FRESCO (Hou et al. 2024).",
)
page.show()
