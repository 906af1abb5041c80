"""A run beside the sample's: three methods, hostile names and texts, gold spans."""

from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from groundscope.grounding.runs import planning
from groundscope.grounding.runs.arrays import MethodRun
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import Method
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, Judgement, Passage, SentenceScore, Status
from tests.browser.site import WATCHWORD, Site
from tests.groundscope.grounding.runs.scripted import judge

HOSTILE = f"<img src=x onerror=alert(1)> **{WATCHWORD}** $x$ [a](http://192.0.2.1)"
RESPONSES = 90


class App(NamedTuple):
    address: str
    run: str
    data: Path


class Steady:
    """Finds a sentence unsupported in a fixed share of the responses."""

    def __init__(self, name: str, every: int) -> None:
        self.signature = f"{name}|steady"
        self._every = every

    def score(self, case: Case) -> Judgement:
        number = int(case.id.rpartition("-")[2])
        low = 0.25 if number % self._every == 0 else 0.75
        sentences = tuple(SentenceScore(s.start, s.end, low if i == 1 else 0.875) for i, s in enumerate(split(case.response)))
        return Judgement(Status.SCORED, support=low, sentences=sentences, seconds=0.125)


def hostile_cases() -> list[Case]:
    response = f"The court heard the case. The landlord owed ten dollars. {HOSTILE}"
    start = response.index("ten")
    return [
        Case(
            f"{HOSTILE}-{i}",
            f"{HOSTILE} {i}?",
            (Passage("p", "The court heard the case. The landlord owed nine dollars.", HOSTILE),),
            response,
            grounded=i % 2 == 0,
            errors=() if i % 2 == 0 else (ErrorSpan(start, start + 3, tuple(ErrorType)[i % 6], HOSTILE),),
            split="test",
            group=f"query {i // 2}",
            area=HOSTILE if i % 3 else "Torts",
        )
        for i in range(RESPONSES)
    ]


@pytest.fixture(scope="package")
def app(the_site: Site) -> App:
    scorers: dict[str, Method] = {f"made_{every}": Steady(f"made_{every}", every) for every in (2, 3, 5)}
    methods = [MethodRun(i, s.signature, f"{HOSTILE[:20]} {i}", threshold=0.5) for i, s in scorers.items()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDSCOPE_DATA", str(the_site.data))
        run = planning.begin("Hostile", "cases.jsonl", hostile_cases(), methods)
        with closing(FOLDER.open(run)) as file:
            assert judge(file, scorers).finished
    return App(the_site.address, run, the_site.data)
