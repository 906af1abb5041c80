"""Arguments: does a model invent factors, use the given ones, and stop where there is no argument?"""

from components import shell
from components.arguments import page

shell.frame(
    "Arguments",
    "Does a model that argues from precedents invent facts, leave facts out, or argue where nothing can be argued? "
    "After Zhang et al. (2025).",
)
page.show()
