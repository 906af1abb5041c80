"""“Which should I use?”: the next judge follows by rule from the record and the published figures; the answer word for word."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from groundscope.methods import About, Method, Published, Requirement, advice, registry
from groundscope.methods.advice import answer, judges, seconds_in_words, stronger
from groundscope.methods.board import MeasuredMethod, SetAuroc
from groundscope.runtime.machine import Machine
from groundscope.types import Case, Judgement
from tests.loops import each

BIG = Machine(16_000_000_000, graphics=False)
aggrefact = Published.aggrefact
F1 = Published(99.0, "F1", "RAGTruth", "a paper")


@dataclass
class Judge(Method):
    """A judge with a published figure, here or a download away."""

    figure: Published
    here: bool = False
    megabytes: int = 1_000
    name: str = "judge"
    asks: bool = False
    signature: str = field(init=False, default="")

    def __post_init__(self) -> None:
        self.signature = f"{self.name}|fp32"

    @property
    def about(self) -> About:
        return About(title=self.name, measures="", published=self.figure)

    def unavailable(self) -> str:
        return "" if self.here else "get it"

    def requirements(self) -> tuple[Requirement, ...]:
        return (Requirement(self.name, "c" * 40, self.megabytes),)

    def score(self, case: Case) -> Judgement:
        raise NotImplementedError


def named(**judges: Any) -> dict[str, Method]:
    for name, judge in judges.items():
        judge.name, judge.signature = name, f"{name}|fp32"
    return judges


@each(
    ("built", "expected"),
    [
        (named(good=Judge(aggrefact(72.0)), better=Judge(aggrefact(75.0))), "better"),
        # A figure on other sets does not compare, a chat model is no download, and what does not fit is not offered.
        (named(good=Judge(aggrefact(72.0)), other=Judge(F1)), "good"),
        (named(good=Judge(aggrefact(72.0)), chat=Judge(aggrefact(77.0), asks=True)), "good"),
        (named(good=Judge(aggrefact(72.0)), huge=Judge(aggrefact(77.0), megabytes=7_000)), "good"),
        (named(good=Judge(aggrefact(72.0)), same=Judge(aggrefact(72.0), here=True)), None),
        (named(good=Judge(aggrefact(72.0)), less=Judge(aggrefact(71.0), here=True)), "good"),
        (named(), None),
    ],
)
def test_the_stronger_judge_has_the_highest_published_figure_above_those_that_are_ready(
    built: dict[str, Method], expected: str | None
) -> None:
    assert stronger(built, BIG) == expected


def on_record(**worst: float) -> Callable[[str], MeasuredMethod | None]:
    rows = {
        f"{name}|fp32": MeasuredMethod(name, "", 0.5, 0.05, 0.3, 1.0, {"people’s": SetAuroc(auroc, 0.6, 0.8)}, {})
        for name, auroc in worst.items()
    }
    return rows.get


def test_the_record_of_this_project_comes_before_what_others_print(monkeypatch: pytest.MonkeyPatch) -> None:
    built = named(here=Judge(F1, here=True), printed=Judge(aggrefact(75.0)), weak=Judge(aggrefact(79.0)))
    monkeypatch.setattr(advice, "record_of", on_record(here=0.70, weak=0.65))
    assert stronger(built, BIG) == "printed", "it was measured to be weaker than what is ready, whatever is printed"
    monkeypatch.setattr(advice, "record_of", on_record(here=0.70, weak=0.75))
    assert stronger(built, BIG) == "weak"
    assert answer(BIG, "", "Here", "Why.", built["weak"], 2.4)[2] == (
        "A stronger judge: weak. On the worst of 1 sets labelled by people (people’s) it ranks a sound statement above "
        "a wrong one in 75 of 100 pairs; chance is 50. 1,000 MB; about 2 s an answer here; nothing leaves this machine."
    )


def test_of_the_methods_here_it_is_the_best_that_fits_the_memory() -> None:
    built = {name: registry.find(name) for name in registry.names()}
    best = {gigabytes: stronger(built, Machine(gigabytes * 10**9, graphics=False)) for gigabytes in (1, 2, 4, 8, 16)}
    assert best == {1: None, 2: "hem_v2", 4: "minicheck:roberta", 8: "minicheck:flan-t5", 16: "minicheck:flan-t5"}
    assert judges(built, BIG)[:2] == ("minicheck:flan-t5", "minicheck:roberta")


def test_the_answer_is_the_equipment_the_recommendation_and_the_next_judge() -> None:
    flan = registry.find("minicheck:flan-t5")
    assert answer(Machine(8_000_000_000, graphics=True), "claude-haiku-5-5", "Best", "Why.", flan, None) == (
        "Here: 8 GB of memory, a graphics card; the chat model claude-haiku-5-5 is set up.",
        "Now: Best. Why.",
        "A stronger judge by what is published: MiniCheck Flan-T5, balanced accuracy 75.0 on LLM-AggreFact (not measured here); "
        "3,130 MB; speed not measured here; nothing leaves this machine.",
    )
    assert "A chat model may be." in answer(BIG, "", "Best", "Why.", None, None)[2]
    assert (seconds_in_words(0.25), seconds_in_words(3.6)) == ("0.25 s", "about 4 s")
