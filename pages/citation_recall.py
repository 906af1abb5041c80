"""Citation recall: does a text cite every authority of a reference, and for the same claim? L-FRESCO and FRESCO."""

from components import shell
from components.citations import page

shell.frame(
    "Citation recall",
    "Does a draft cite the authorities of a reference analysis, and for the same point? After Hou et al. (2024).",
)
page.show()
