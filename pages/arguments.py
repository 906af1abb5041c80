"""Arguments: does a model invent factors, use those there are, and stop where there is no argument?"""

from components import shell
from components.arguments import page

shell.frame("Arguments")
shell.heading(
    "Arguments",
    "3-ply legal arguments: what a model invents, what it leaves out, and whether it stops where nothing can be argued.",
)
page.show()
