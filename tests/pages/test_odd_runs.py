"""Every page of a run beside what is rare: no time at all, no verdicts, one case, one class, no labels; no traceback."""

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

from groundscope.experiments.plan import Part
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.methods import About, Method, registry
from groundscope.types import Case, Judgement, Status
from tests.groundscope.grounding.runs import made_cases
from tests.groundscope.grounding.runs.scripted import judge
from tests.pages.drawn import ROOT, html, opened, session

PARTS = ("Results table", "Significance", "Agreement", "Hard cases", "Slices", "Two runs")


@pytest.fixture(autouse=True)
def length(data: Path, users_scorers: Path) -> None:
    """The README's scorer among the methods, from a file like a user's."""
    text = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert text
    (users_scorers / "length.py").write_text(text[1], encoding="utf-8")


class _Silent(Method):
    """Judges nothing: each case has the same status, without a support."""

    def __init__(self, status: Status) -> None:
        self.signature = f"silent|{status}"  # type: ignore[misc]
        self._status = status

    signature = ""

    def score(self, case: Case) -> Judgement:
        return Judgement(self._status, note="Nothing to say.", context_seen=0.0)


def _run(cases: list[Case], **methods: Method) -> str:
    """A run that the engine made."""
    plans = [Part(name, m.about.title or name, m.signature, threshold=0.5) for name, m in methods.items()]
    run = planning.begin("Odd", "cases.jsonl", cases, plans)
    with closing(FOLDER.open(run)) as file:
        assert judge(file, methods).finished
    return run


class _Gone(Method):
    """Judges as overlap does, under a name that the registry does not have."""

    signature = "ensemble|a1b2"
    about: ClassVar[About] = About("Ensemble of ours", "Several methods together.")

    def score(self, case: Case) -> Judgement:
        return registry.load("overlap").score(case)


def _everywhere(run: str) -> None:
    for part in PARTS:
        opened("compare", {"run": run, "part": part, "split": "all"})
    for page in ("errors", "thresholds", "runs"):
        opened(page, {"run": run})


def test_the_readmes_scorer_goes_through_every_page() -> None:
    run = _run(made_cases(30), length=registry.load("length"), overlap=registry.load("overlap"))
    _everywhere(run)
    for page in ("cases", "heatmap", "methods"):
        opened(page, {"run": run})
    assert not session({"run": run}).run().exception
    app = opened("compare", {"run": run, "split": "all"})
    assert "faster than its clock can measure" in html(app)
    app.selectbox(key="compare_method").set_value("length").run()
    assert "below the resolution of its clock" in html(app)


def test_methods_without_any_verdict() -> None:
    silent = {str(status): _Silent(status) for status in (Status.FAILED, Status.INVALID, Status.NOT_ASSESSABLE)}
    _everywhere(_run(made_cases(12), length=registry.load("length"), **silent))
    app = opened("compare", {"run": _run(made_cases(12), **silent), "split": "all"})
    assert "No method has a verdict on these responses" in html(app)


@pytest.mark.parametrize(
    "odd",
    [
        lambda cases: cases[:1],
        lambda cases: [replace(c, errors=(), grounded=True) for c in cases],
        lambda cases: [replace(c, errors=(), grounded=None, split="", group="", area="") for c in cases],
    ],
    ids=["one case", "one class", "no labels"],
)
def test_sets_that_no_measure_is_made_for(odd: Callable[[list[Case]], list[Case]]) -> None:
    _everywhere(_run(odd(made_cases(12)), length=registry.load("length"), overlap=registry.load("overlap")))


def test_one_method_in_a_set_without_splits() -> None:
    cases = [replace(c, split="", group="", area="") for c in made_cases(12)]
    _everywhere(_run(cases, overlap=registry.load("overlap")))


def test_a_run_of_methods_that_are_not_here_any_more_opens_everywhere_and_links_to_them_say_so() -> None:
    cases = made_cases(30)
    run = _run(cases, **{"ensemble": _Gone(), "cascade:ours": _Gone(), "overlap": registry.load("overlap")})
    titles = opened("compare", {"run": run, "split": "all"}).selectbox(key="compare_method").options
    assert titles == ["Ensemble of ours (ensemble)", "Ensemble of ours (cascade:ours)", "Overlap"]
    for name in ("ensemble", "cascade:ours"):
        told = f"The method {name} in the link is not here: it was deleted"
        assert told in html(opened("heatmap", {"run": run, "case": cases[0].id, "method": name}))
        with pytest.raises(ValueError, match=f"no method '{name}'"):
            registry.load(name)
    _everywhere(run)
