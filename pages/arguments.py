"""Arguments: does a model invent factors, use the given ones, and stop where there is no argument?"""

from components import shell
from components.arguments import page

shell.frame("Arguments")
shell.heading(
    "Arguments",
    "What a model invents in 3-ply legal arguments, what it leaves out, and whether it stops when there is nothing to argue. "
    "After Zhang et al. (2025).",
)
page.show()
