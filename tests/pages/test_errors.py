"""The errors page without a browser: numbers, filters, addresses, empty states, hostile text."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.compare.messages import chance_words
from components.errors import filters, matrix, page
from components.errors.cells import CellChoice
from components.opened import run_figures
from groundscope.grounding.level_results import gold_of, level_results
from groundscope.grounding.misclassified.calls import CaseFilter, ConfusionCell
from groundscope.grounding.misclassified.table import GROUNDED, PARTS
from groundscope.grounding.runs.arrays import RunData, SentenceTable
from groundscope.grounding.tuning import starting_rules, verdicts
from groundscope.methods.board import board
from groundscope.types import Case
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.pages import drawn
from tests.pages.drawn import html, show_runs

HOSTILE = "<script>alert(1)</script> **b** $x$"

Opened = Callable[..., AppTest]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens the page on a run, at an address."""

    def open_page(run: RunData | None, **parameters: str | list[str]) -> AppTest:
        page._counted.clear()
        run_figures.levels.clear()
        run_figures._gold.clear()
        show_runs(monkeypatch, run)
        return drawn.opened("errors", parameters)

    return open_page


def count(app: AppTest) -> str:
    return next(t.value for t in app.text if "labelled response" in t.value)


def made(cases: list[Case] | None = None, **changes: object) -> RunData:
    return replace(made_run(cases or made_cases(240), 4, seed=2), **changes)  # type: ignore[arg-type]


def test_the_page_starts_with_what_is_wrong(opened: Opened) -> None:
    run = made()
    flags = verdicts(run, starting_rules(run))
    wrong = (flags >= 0) & (flags != run.gold)
    assert count(opened(run, split="all")) == f"{wrong.any(axis=0).sum()} of 240 labelled responses"
    # With the recommended method, where one of the run is on the record; another choice is in the address.
    signed = tuple(
        replace(m, signature=next(iter(board().methods.values())).signature) if m.id == "method_2" else m for m in run.methods
    )
    app = opened(replace(run, methods=signed), split="all")
    assert app.multiselect(key="errors_method").value == ["method_2"]
    assert count(app) == f"{wrong[2].sum()} of 240 labelled responses"
    app.multiselect(key="errors_method").set_value([]).run()
    assert app.query_params["method"] == "all"
    assert count(app) == f"{wrong.any(axis=0).sum()} of 240 labelled responses"


def test_it_says_first_which_methods_are_better_than_a_coin_by_the_same_rule_as_compare(opened: Opened) -> None:
    run = made()
    app = opened(run, split="all")
    found = level_results(run, gold_of(run, run.rows()), starting_rules(run), run.rows(), "sentence")
    words = chance_words([m.title for m in run.methods], found)
    assert words
    assert words in html(app)
    assert "No method here is shown to find wrong sentences better than chance." in html(opened(coin(run), split="all"))


def coin(run: RunData) -> RunData:
    """The run with one support for all sentences."""

    def same(place: int) -> SentenceTable:
        found = run.read_sentences(place)
        return found._replace(support=np.full_like(found.support, 0.5))

    return replace(run, read_sentences=same)


def test_the_address_sets_the_filters_and_the_filters_the_address(opened: Opened) -> None:
    app = opened(made(), split="all", type="misattribution", method="method_1", outcome=["missed", "none"])
    assert app.multiselect(key="errors_type").value == ["misattribution"]
    assert app.multiselect(key="errors_method").value == ["method_1"]
    before = count(app)
    app.multiselect(key="errors_area").set_value(["Torts"]).run()
    assert app.query_params["area"] == "Torts"
    assert app.query_params["outcome"] == ["missed", "none"]
    assert count(app) != before
    app.button(key="errors_clear").click().run()
    assert count(app) == "240 labelled responses"
    assert app.query_params["outcome"] == "all"
    assert "type" not in app.query_params


def test_an_address_that_names_nothing_known_is_no_error(opened: Opened) -> None:
    unknown = {
        "type": "typo", "method": HOSTILE, "outcome": "?", "caught": "only:nobody",
        "order": "sideways", "case": HOSTILE, "area": HOSTILE, "within": "none",
    }  # fmt: skip
    assert "240 labelled" in count(opened(made(), split="all", **unknown))


def test_what_one_method_alone_catches_can_be_listed(opened: Opened) -> None:
    run = made()
    flags = verdicts(run, starting_rules(run))[:, run.gold == 0] == 0
    alone = int((flags[3] & (flags.sum(axis=0) == 1)).sum())
    assert alone
    assert count(opened(run, split="all", outcome="all", caught="only:method_3")).startswith(f"{alone} of 240 ")


def test_a_run_without_error_types_says_so_and_still_counts(opened: Opened) -> None:
    app = opened(made([replace(c, errors=()) for c in made_cases(60)]), split="all")
    assert "No ungrounded response of this run has an error type, so all are in one column." in html(app)
    app.session_state[matrix.TAB] = "How often each type occurs"
    app.run()
    assert "No response here has a labelled error type." in html(app)


def test_no_run_and_no_label_and_no_threshold_say_what_to_do(opened: Opened) -> None:
    assert "There is no run yet" in html(opened(None))
    assert "No response here has a label." in html(opened(made([replace(c, grounded=None, errors=()) for c in made_cases(9)])))
    run = made(made_cases(9))
    bare = replace(run, methods=tuple(replace(m, threshold=None) for m in run.methods))
    app = opened(bare, split="all")
    assert "No method of this run has a threshold" in html(app)


def test_the_next_case_goes_through_the_list_and_over_the_border_of_a_page(opened: Opened) -> None:
    run = made()
    app = opened(run, split="all", outcome="all", order="case", case="case-23")
    assert f"{run.case(23).query}</b>" in html(app)
    assert app.number_input(key="errors_page_number").value == 1
    for expected in ("case-24", "case-25"):
        app.button(key="errors_down").click().run()
        assert app.query_params["case"] == expected
    assert app.number_input(key="errors_page_number").value == 2
    app.button(key="errors_up").click().run()
    assert app.query_params["case"] == "case-24"
    assert app.number_input(key="errors_page_number").value == 1
    # A new list starts at its top.
    app.number_input(key="errors_page_number").set_value(4).run()
    app.selectbox(key="errors_order").set_value("furthest").run()
    assert app.number_input(key="errors_page_number").value == 1


def test_the_open_case_shows_every_call_with_support_and_threshold(opened: Opened) -> None:
    run = made()
    silent = int(np.flatnonzero((run.status[0] != 0) & (run.gold == 0))[0])
    app = opened(run, split="all", outcome="all", case=f"case-{silent}")
    text = html(app)
    assert "gs-mark" in text
    assert "– no verdict: its answer could not be read" in text
    assert f"{run.support[1, silent]:.3f}" in text
    assert "0.50" in text


def test_the_case_opens_in_the_heatmap_under_the_method_that_misses_it(opened: Opened) -> None:
    run = made()
    app = opened(run, split="all", method="method_2", outcome="missed")
    app.button(key="errors_down").click().run()
    row = int(app.query_params["case"].removeprefix("case-"))
    assert next(s for s in app.selectbox if s.label == "Method in the heatmap").value == "method_2"
    app.button(key="errors_open").click().run()
    assert app.session_state["case"] == f"case-{row}"
    assert run.gold[row] == 0


def test_hostile_text_is_escaped_and_opens(opened: Opened) -> None:
    cases = [
        replace(c, id=f"{HOSTILE}{c.id}", query=HOSTILE, area=HOSTILE if i % 2 else "Torts", split=HOSTILE if i % 3 else "dev")
        for i, c in enumerate(made_cases(30))
    ]
    run = made_run(cases, 3)
    run = replace(run, name=HOSTILE, methods=tuple(replace(m, title=HOSTILE) for m in run.methods))
    app = opened(run, split="all", outcome="all", case=f"{HOSTILE}case-1", area=HOSTILE)
    assert "<script>" not in html(app)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html(app)
    app.session_state[matrix.TAB] = "How often each type occurs"
    app.run()
    assert not app.exception


def test_every_cell_of_the_matrix_stands_for_the_filters_that_it_sets() -> None:
    for part in PARTS:
        state = filters.values_of(CellChoice(part, "method_1"))
        wanted = CaseFilter(
            kinds=tuple(state[filters.KIND]),
            methods=tuple(state[filters.METHOD]),
            outcomes=tuple(ConfusionCell(o) for o in state[filters.OUTCOME]),
        )
        assert filters.picked(wanted) == (part, "method_1")
        assert (ConfusionCell.ALARM in wanted.outcomes) == (part == GROUNDED)
