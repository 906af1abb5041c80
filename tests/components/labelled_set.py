"""A small labelled set whose trainings take seconds: each query with a sound answer and a wrong variant of it."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs.planning import begin
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import registry
from groundscope.types import Case, Passage
from tests.groundscope.grounding.runs.scripted import judge

SPLITS = ("train",) * 5 + ("dev",) * 3 + ("test",)
_TOPICS = ("appeal", "notice", "rent", "deposit", "lease", "repair", "access", "costs", "claim")


def cases(mark: str = "", splits: tuple[str, ...] = SPLITS) -> tuple[Case, ...]:
    """Two responses a query; `mark` stands in every text."""
    pairs = []
    for topic, split in zip(_TOPICS, splits, strict=True):
        fact = f"The {topic} must be served within 30 days of the judgment{mark}."
        context = (Passage("p", f"{fact} The court awarded costs of 4,500 euros. The landlord had acted unreasonably."),)
        answer = f"{fact} Costs were awarded to the tenant."
        sound = Case(f"{topic}-sound", f"When is the {topic} due{mark}?", context, answer, True, split=split, group=topic)
        wrong = answer.replace("30 days", "60 days")
        pairs += [sound, replace(sound, id=f"{topic}-wrong", response=wrong, grounded=False, parent=sound.id)]
    return tuple(pairs)


def rows(mark: str = "", **changes: Any) -> list[dict[str, Any]]:
    """The same as rows of a file, each with these fields changed."""
    fields = ("id", "query", "response", "grounded", "split", "group", "parent")
    return [{f: getattr(c, f) for f in fields} | {"context": [p.text for p in c.context]} | changes for c in cases(mark)]


def judged_run(found: Sequence[Case], name: str = "Taught", method: str = "overlap") -> str:
    """The id of a finished run of one method over cases, in the data folder that is set."""
    scorer = registry.load(method)
    run = begin(name, "cases", found, [described(Part(method), scorer)])
    with closing(FOLDER.open(run)) as file:
        assert judge(file, {method: scorer}).finished
    return run
