"""The scores of other tools as methods of a new run."""

from collections.abc import Sequence
from pathlib import Path

from groundscope.commands.case_files import read_files, tell_rejected
from groundscope.commands.terminal import say
from groundscope.errors import DataError
from groundscope.grounding.imported.methods import Attached, attach
from groundscope.grounding.imported.scores import read_scores
from groundscope.grounding.imported.stored import stored_scores
from groundscope.types import Case


def attached(paths: Sequence[Path], cases: Sequence[Case], beside: Sequence[Path] = ()) -> list[Attached]:
    """The scores in files of other tools as further methods, and those that the files of cases themselves hold (`beside`).

    Raises `DataError` where two files hold the same metric.
    """
    found: list[Attached] = []
    given = [read_scores(name, data) for name, data in read_files(paths)]
    tools = {recorded.tool for recorded in given}
    # A pipe cannot be read twice.
    stored = stored_scores(read_files([path for path in beside if path.is_file()]))
    for recorded in (*given, *(one for one in stored if one.tool not in tools)):
        tell_rejected(recorded.rejected)
        methods, matched = attach(recorded, cases)
        counted = f"{matched.matched:,} of {len(recorded.rows):,} rows match a case, {matched.ambiguous:,} fit several"
        say(f"{recorded.name}, {recorded.title}: {counted}.")
        found += methods
    if len({a.method.id for a in found}) < len(found):
        raise DataError("Two files hold the same metric of the same tool; give one of them.")
    return found
