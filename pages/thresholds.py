"""Thresholds: tune on dev, freeze under a name, and only then see test; calibration."""

from components import shell, thresholds_view

shell.frame("Thresholds")
shell.heading(
    "Thresholds",
    "Tune every method's threshold on dev, drag it to see what one more caught error costs, freeze it, and only then see test.",
)
thresholds_view.show()
