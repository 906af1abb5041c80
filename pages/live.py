"""Live: what share of a running system's answers stands on its sources."""

from components import shell
from components.live import page

shell.frame("Live")
shell.heading("Live", "Answers of a running system, read from its traces: do they stand on their sources as they did before?")
page.show()
