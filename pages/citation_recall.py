"""Citation recall: is every authority of a reference there, and cited for what it says? L-FRESCO and FRESCO."""

from components import shell
from components.citations import page

shell.frame("Citation recall")
shell.heading(
    "Citation recall", "Does an analysis cite the authorities that it should, and for what they say? L-FRESCO and FRESCO."
)
page.show()
