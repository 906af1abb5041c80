"""The panel of jobs without a browser: what a paused job of each kind shows, and that deleting asks once more."""

from collections.abc import Callable
from contextlib import closing

import pytest
from streamlit.testing.v1 import AppTest

from groundscope.chat.budget import Limits
from groundscope.experiments.listing import Kind
from groundscope.experiments.plan import FAILED, Part, Place, Result
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.store import KIND
from groundscope.methods import registry
from tests.components.begun import arguments, experiment
from tests.groundscope.grounding.runs.scripted import cases_of
from tests.pages.drawn import html, opened, press

LIMITS = Limits(7, 1.5)
WHY = "<b>The model</b> answered 413."


def _run(limits: Limits) -> tuple[Kind, str]:
    method = described(Part("quip"), registry.load("quip"))
    return KIND, planning.begin("Mine", "cases.jsonl", cases_of(4), [method], limits=limits)


KINDS: dict[str, tuple[Callable[[Limits], tuple[Kind, str]], str, dict[str, str]]] = {
    "runs": (_run, "Its judgements and its copy of the texts", {}),
    "legal_rag": (experiment, "Its questions, passages, answers and verdicts", {"rag_turn_page": "New experiment"}),
    "arguments": (arguments, "Its triples, arguments and extracted factors", {"arguments_page": "Write arguments"}),
}


def key(kind: Kind, what: str, job: str) -> str:
    return f"{kind.folder.name}_{what}_{job}"


@pytest.mark.parametrize("page", KINDS)
def test_a_paused_job_with_a_fault_can_be_resumed_retried_given_a_budget_and_deleted(page: str, asked: list[str]) -> None:
    begin, contents, state = KINDS[page]
    kind, job = begin(LIMITS)
    with closing(kind.folder.open(job)) as file:
        file.keep(Place(0, 0, 0), Result(kind.final(kind.read(file)), {}, FAILED, why=WHY))
        file.charge(kind.final(kind.read(file)))
    app = opened(page, **state)
    text = html(app)
    assert "Not finished" in text
    assert "1 time: &lt;b&gt;The model&lt;/b&gt; answered 413." in text
    assert "1 failed" in text
    assert "It may spend $1.50 and 7 calls in all." in text
    assert not [b for b in app.button if b.key == key(kind, "pause", job)]
    assert app.button(key=key(kind, "retry", job)).label == "Retry 1 failed"
    app.button(key=key(kind, "resume", job)).click().run()
    app.button(key=key(kind, "retry", job)).click().run()
    assert asked == [job, f"{job}, retried"]
    dollars, calls = (n for n in app.number_input if str(n.key).startswith(key(kind, "budget", job)))
    assert (calls.value, dollars.value) == (7, 1.5)
    calls.set_value(40)
    dollars.set_value(None)
    press(app, "Set the budget")
    with closing(kind.folder.open(job)) as file:
        assert file.limits() == Limits(40, None)
    assert "It may spend 40 calls in all." in html(app)
    # Deleting asks once more.
    assert f"{contents} are deleted from this machine permanently." in html(app)
    assert app.button(key=key(kind, "delete", job)).label == "Delete it"
    assert [file.id for file in kind.folder.files()] == [job]
    app.button(key=key(kind, "delete", job)).click().run()
    assert list(kind.folder.files()) == []
    assert "Not finished" not in html(app)


def _both() -> None:
    from dataclasses import replace

    from components.experiments.panel import Panel
    from groundscope.experiments.listing import listed
    from tests.components.begun import arguments

    kind, _ = arguments()
    panel = Panel(kind, "Its arguments")
    panel.under_way()
    (job,), _ = listed(kind)
    panel.finished(job, "Not yet")
    panel.finished(replace(job, finished="now"), "Delete this run")


@pytest.mark.usefixtures("data")
def test_a_job_that_finishes_while_the_page_is_drawn_stands_in_both_places() -> None:
    app = AppTest.from_function(_both, default_timeout=60).run()
    assert not app.exception, app.exception
    keys = [str(button.key) for button in app.button if "delete" in str(button.key)]
    assert len(keys) == len(set(keys)) == 2
