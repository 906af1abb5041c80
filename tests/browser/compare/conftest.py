"""A run of three methods with hostile names, texts and gold spans, latencies far apart; Errors is asked about it too."""

from contextlib import closing
from typing import NamedTuple

import pytest

from groundscope.experiments.plan import Part
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import Method
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, Judgement, Passage, SentenceScore, Status
from tests.browser.site import WATCHWORD, Site
from tests.groundscope.grounding.runs.scripted import judge

# Where a response is shown, its Markdown is drawn.
DRAWN = f"<img src=x onerror=alert(1)> {WATCHWORD} $x$ a"
HOSTILE = f"<img src=x onerror=alert(1)> **{WATCHWORD}** $x$ [a](http://192.0.2.1)"
RESPONSES = 120
NAMES = {3: "Hasty", 9: "Careful", 45: "Thorough"}


class App(NamedTuple):
    """Its address and its run."""

    address: str
    run: str


class Erring:
    """Is wrong about one response in so many."""

    def __init__(self, every: int, seconds: float) -> None:
        self.signature = f"erring_{every}|every={every}"
        self._every, self._seconds = every, seconds

    def score(self, case: Case) -> Judgement:
        number = int(case.id.rpartition("-")[2])
        right = number % self._every != 0
        low = 0.75 if bool(case.grounded) == right else 0.25
        sentences = tuple(SentenceScore(s.start, s.end, low if i == 1 else 0.875) for i, s in enumerate(split(case.response)))
        return Judgement(Status.SCORED, support=low, sentences=sentences, seconds=self._seconds)


def cases() -> list[Case]:
    """Two responses a query, one of them with an error in its second sentence."""
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
            split="dev" if i < 40 else "test",
            group=f"query {i // 2}",
            area=HOSTILE if i % 3 else "Torts",
        )
        for i in range(RESPONSES)
    ]


@pytest.fixture(scope="package")
def app(the_site: Site) -> App:
    scorers: dict[str, Method] = {f"erring_{k}": Erring(k, s) for k, s in {3: 0.004, 9: 0.2, 45: 9.0}.items()}
    methods = [
        Part(i, f"{name} {HOSTILE[:30]}", s.signature, threshold=0.5)
        for (i, s), name in zip(scorers.items(), NAMES.values(), strict=True)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDSCOPE_DATA", str(the_site.data))
        run = planning.begin(f"First {HOSTILE[:30]}", "cases.jsonl", cases(), methods)
        with closing(FOLDER.open(run)) as file:
            assert judge(file, scorers).finished
    return App(the_site.address, run)
