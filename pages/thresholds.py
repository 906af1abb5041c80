"""Thresholds: tune on dev, freeze under a name, and only then see test; calibration."""

from components import shell
from components.thresholds import page

shell.frame(
    "Thresholds",
    "Tune every method's threshold on dev, move it to see what one more caught error costs, freeze it, and only then see test.",
)
page.show()
