"""Arguments that are there already: a run of their own in which a chat model extracts from them.

They were pasted, loaded, or are of another run. Such a run begins with every argument written; what is left is extraction,
through the same plan, work, budget and resume as of any other run. A part `given:NUMBER:WORDING` stands for who wrote them
under one wording.
"""

from collections.abc import Sequence

from groundscope.arguments import runs
from groundscope.arguments.loading import Chat, extracting, extraction_takes
from groundscope.arguments.parsing import Argument
from groundscope.arguments.plan import GIVEN, ArgumentsPlan
from groundscope.arguments.prompts import DEFAULT
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Catalogue, Scenario
from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.experiments.forecast import Takes
from groundscope.experiments.plan import Part, Place


def begin(
    name: str, catalogue: Catalogue, arguments: Sequence[Judged], extracts: str, chat: Chat, limits: Limits = NO_LIMITS
) -> str:
    """Begin a run of given arguments; `work` then has a model extract from each. Nothing is sent yet."""
    parts, scenarios, written = _laid(arguments)
    plan = ArgumentsPlan(name, catalogue, parts, (DEFAULT,), extracting(extracts, chat))
    return runs.create(plan, scenarios, written, limits)


def forecast(arguments: Sequence[Judged], extracts: str, chat: Chat) -> Takes:
    """Estimate what the extraction takes, counted with the longest argument, so the real price is lower."""
    written = [a.text for a in _laid(arguments)[2].values() if not a.empty]
    return extraction_takes(extracts, chat, len(written), max(written, key=len, default=""))


def _laid(arguments: Sequence[Judged]) -> tuple[tuple[Part, ...], list[Scenario], dict[Place, Argument]]:
    """Parts, scenarios, and the arguments in their places; of one arguer, wording and triple the first counts."""
    if not arguments:
        raise ValueError("There is no argument to extract from.")
    scenarios = list(dict.fromkeys(j.scenario for j in arguments))
    row = {s: i for i, s in enumerate(scenarios)}
    names: dict[tuple[str, str], int] = {}
    written: dict[Place, Argument] = {}
    for argument in arguments:
        number = names.setdefault((argument.arguer, argument.wording), len(names))
        written.setdefault(Place(number, 0, row[argument.scenario]), argument.argument)
    parts = tuple(
        Part(f"{GIVEN}{i}:{wording}", arguer, f"given|{arguer}|wording={wording}") for (arguer, wording), i in names.items()
    )
    return parts, scenarios, written
