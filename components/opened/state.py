"""Session keys of the pages about runs, with typed get and set; see `state.py`."""

from components.state import own
from groundscope.grounding.imported.scores import Recorded
from groundscope.grounding.parts import NamedPart

SET = "run_set"
"""The field of a new run that says which cases are judged."""


METHOD, CAUGHT = "method", "caught"
"""The parameters of a link to the errors page: a method, and who caught an error."""


def run_folders() -> dict[str, None]:
    """Folders of runs that this session opened, the oldest first."""
    return own("run_folders", {})


def run_choices() -> dict[str, str]:
    """Which run, thresholds and split the pages of a run show: kept when the user goes from one to the other."""
    return own("run_choices", {})


def parts() -> dict[str, NamedPart]:
    """Parts under names of the user's that this session added, by name."""
    return own("run_parts", {})


def stored_scores() -> dict[str, tuple[Recorded, ...]]:
    """The scores that loaded files of cases held beside their cases, by the name of the set."""
    return own("stored_scores", {})
