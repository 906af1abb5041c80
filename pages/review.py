"""Review: decide sentence by sentence, blind first."""

from components import shell
from components.review import page

shell.frame("Review")
page.show()
