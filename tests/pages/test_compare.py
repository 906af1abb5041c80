"""The compare page without a browser: figures, choices, links, empty states, hostile text, and what is computed once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from components.opened import run_figures
from groundscope.grounding.rules.frozen_rules import Decision, default_decision, freeze, frozen
from groundscope.grounding.runs.arrays import PENDING, RunData, SentenceTable
from groundscope.grounding.tuning import Objective, Rule, Tuned
from tests.groundscope.grounding.runs import made_cases, made_run
from tests.pages import drawn
from tests.pages.drawn import html, show_runs

HOSTILE = "<script>alert(1)</script> **b** $x$ =1+1"

Opened = Callable[..., AppTest]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens the page on the first of some runs, at an address."""

    def open_page(*there: RunData, **parameters: str) -> AppTest:
        for name in ("measured", "_draws", "compared", "sliced", "levels", "three", "_gold", "beside"):
            getattr(run_figures, name).clear()
        show_runs(monkeypatch, *there)
        return drawn.opened("compare", parameters)

    return open_page


def made(count: int = 240, methods: int = 4, seed: int = 2, **changes: object) -> RunData:
    return replace(made_run(made_cases(count), methods, seed), **changes)  # type: ignore[arg-type]


def test_the_page_opens_with_the_trade_off_and_the_table(opened: Opened) -> None:
    app = opened(made())
    text = html(app)
    assert "Method 0 is the fastest" in text
    assert "<summary>The figures</summary>" in text
    table = app.dataframe[0].value
    assert table["macro_f1"].is_monotonic_decreasing
    assert list(table["responses"]) == [192] * 4
    assert app.selectbox(key="compare_method").value == f"method_{table['method'].iloc[0].split()[-1]}"
    assert {"CSV", "Excel (XLSX)", "Markdown", "LaTeX", "HTML"} <= {b.label for b in app.get("download_button")}


def test_another_method_shows_its_own_row_and_the_way_to_its_errors(opened: Opened) -> None:
    app = opened(made(), split="all")
    app.selectbox(key="compare_method").set_value("method_1").run()
    assert "method_1|made-up" in html(app)
    link = next(e.proto for e in app.get("page_link") if e.proto.label == "Its misclassified responses")
    assert link.page.endswith("errors")
    assert set(link.query_string.split("&")) == {"run=made", "rules=starting", "split=all", "method=method_1"}


def test_latency_is_of_dev_or_of_the_split_and_on_dev_there_is_no_choice(opened: Opened) -> None:
    run = made()
    app = opened(run)
    assert app.segmented_control(key="compare_over").value == "dev"
    dev = run.seconds[3, run.splits == "dev"][run.timed[3, run.splits == "dev"]].mean()
    assert f"{dev:.2f} s (95 %" in html(app) or f"{dev:.1f} s (95 %" in html(app)
    assert not app.segmented_control(key="compare_over").set_value("shown").run().exception
    on_dev = opened(run, split="dev")
    assert [s for s in on_dev.segmented_control if s.key == "compare_over"] == []
    assert "Seconds, dev" in html(on_dev)


def test_levels_measure_sentences_and_characters_and_name_their_protocol(opened: Opened) -> None:
    app = opened(made(), level="Sentences")
    assert "Each sentence that claims something is one decision" in html(app)
    assert "F1 at this level" in html(app)
    assert (app.dataframe[0].value["Judged"] > 192).all()
    app.segmented_control(key="level").set_value("span").run()
    assert "RAGTruth" in html(app)
    assert "Flagged" in app.dataframe[0].value.columns


def test_three_answers_have_a_table_of_three_rows_a_method_and_say_what_is_not_counted(opened: Opened) -> None:
    cases = [replace(c, contradicted=None if c.grounded else i % 2 == 0) for i, c in enumerate(made_cases(240))]
    run = made_run(cases, 4, seed=2)

    def sentences(method: int) -> SentenceTable:
        table = run.read_sentences(method)
        # Two methods say of each sentence that the sources contradict it, or are silent.
        return table._replace(contradiction=1 - table.support) if method > 1 else table

    app = opened(replace(run, read_sentences=sentences), level="Three answers", split="all")
    text = html(app)
    assert "Each response is one decision: supported, not stated or contradicted" in text
    assert "chance reaches the dotted line" in text
    table = app.dataframe[0].value
    assert list(table["Method"]).count("Method 3") == 3
    assert list(table["Labelled"][:3]) == ["Supported", "Not stated", "Contradicted"]
    assert table["Responses"][:3].sum() == 240
    assert "Method 0: It gives two answers" in text
    assert "none says what the sources contradict" in html(opened(made(), level="Three answers"))


def test_a_large_set_is_cut_into_sentences_only_when_asked(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_figures, "SLOW", 100)
    app = opened(made(), level="Sentences")
    assert "cut into sentences first" in html(app)
    assert len(app.dataframe) == 0
    app.button(key="compare_cut").click().run()
    assert len(app.dataframe) == 1


def test_significance_says_who_is_better_in_sentences(opened: Opened) -> None:
    app = opened(made(900), part="Significance")
    assert "Method 3 is better than Method 0 by 0." in html(app)
    assert len(app.dataframe[0].value) == 6
    app.selectbox(key="compare_against").set_value("method_0").run()
    assert "Method 0 is better than none of the other 3" in html(app)


def test_agreement_and_slices_are_drawn(opened: Opened) -> None:
    app = opened(made(), part="Agreement")
    assert "agree most (0." in html(app)
    app.segmented_control(key="compare_agreement").set_value("share").run()
    assert "of equal verdicts among the responses" in html(app)
    app = opened(made(), part="Slices")
    assert "<th scope='col'>Torts</th>" in html(app)
    app.segmented_control(key="compare_slices").set_value("words").run()
    assert "21 words" in html(app)


def test_hard_cases_are_counted_and_lead_to_the_errors_and_the_heatmap(opened: Opened) -> None:
    run = made(methods=2)
    app = opened(run, part="Hard cases", split="all")
    table = app.dataframe[0].value
    assert (table["Right"] == 0).all()
    assert f"none about {len(table)}:" in html(app)
    missed = int((table["Label"] == "ungrounded").sum())
    link = next(e.proto for e in app.get("page_link") if "no method finds" in e.proto.label)
    assert str(missed) in link.label or missed == 1
    assert "caught=nobody" in link.query_string
    assert app.button(key="hard_open").disabled
    app.number_input(key="compare_most").set_value(1).run()
    assert (app.dataframe[0].value["Right"] <= 1).all()
    assert len(app.dataframe[0].value) > len(table)


def test_two_runs_over_the_same_cases_are_compared_and_the_link_names_both(opened: Opened) -> None:
    first, second = made(id="first"), made(id="second", seed=5, name="Other run")
    app = opened(first, second, part="Two runs", run="first")
    assert "matched by id" in html(app)
    app.selectbox(key="compare_other").set_value("second").run()
    assert not app.exception
    assert app.query_params["other"] == "second"
    table = app.dataframe[0].value
    assert len(table) == 4
    assert np.allclose(table["Difference"], table["F1, Other run"] - table["F1, Made-up run"])
    linked = opened(first, second, part="Two runs", run="first", other="second")
    assert linked.dataframe[0].value.equals(table)


def test_two_runs_over_other_cases_are_not_subtracted(opened: Opened) -> None:
    first, second = made(id="first"), made(id="second", data_hash="x", name="Other run")
    app = opened(first, second, part="Two runs", run="first", other="second")
    assert "judged different responses" in html(app)
    assert "Difference" not in app.dataframe[0].value.columns
    assert "There is no other run yet" in html(opened(first, part="Two runs"))
    assert "not here" in html(opened(first, second, part="Two runs", run="first", other="third"))


@pytest.mark.parametrize(
    ("change", "words", "part"),
    [
        ("one class", "need both labels", "Slices"),
        ("nothing", "No result was timed in this run", "Results table"),
        ("unknown", "Cost unknown: enter the model", "Results table"),
        ("pending", "has not judged any of these responses yet", "Hard cases"),
        ("no threshold", "It has no threshold", "Significance"),
        ("no label", "No response here has a label", "Results table"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_sentence(opened: Opened, change: str, words: str, part: str) -> None:
    run = made(120, 2)
    none = np.full_like(run.support, np.nan)
    pending = {"status": np.full_like(run.status, PENDING), "support": none, "lowest": none, "mean": none, "finished": False}
    changes: dict[str, dict[str, object]] = {
        "one class": {"gold": np.where(run.gold == 1, 1, -1).astype(np.int8)},
        "pending": pending,
        "nothing": {"timed": np.zeros_like(run.timed)},
        "unknown": {"cost": np.full_like(run.cost, np.nan)},
        "no threshold": {"methods": tuple(replace(m, threshold=None) for m in run.methods)},
        "no label": {"gold": np.full_like(run.gold, -1)},
    }
    assert words in html(opened(replace(run, **changes[change]), part=part))  # type: ignore[arg-type]


def test_names_of_methods_areas_and_runs_are_text(opened: Opened) -> None:
    cases = [replace(c, area=HOSTILE, id=f"{HOSTILE} {i}", query=HOSTILE) for i, c in enumerate(made_cases(120))]
    run = made_run(cases, 3)
    run = replace(run, name=HOSTILE, methods=tuple(replace(m, title=HOSTILE, signature=HOSTILE) for m in run.methods))
    for part in ("Results table", "Significance", "Agreement", "Hard cases", "Slices"):
        app = opened(run, part=part)
        assert "<script>" not in html(app)
        for kind in ("markdown", "caption", "error", "info", "warning"):
            assert all(HOSTILE not in str(e.value) for e in app.get(kind))


def test_a_choice_computes_nothing_again(opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(made())
    for function in ("results", "level_results", "gold_of", "drawn_queries"):
        monkeypatch.setattr(run_figures, function, None)
    app.segmented_control(key="compare_over").set_value("shown").run()
    assert not app.exception


def test_the_best_method_stands_open_until_the_user_opens_another_one(opened: Opened) -> None:
    run = made()
    app = opened(run, split="test")
    best = app.selectbox(key="compare_method").value
    app.selectbox(key="compare_method").set_value("method_1").run()
    app.selectbox(key="compare_split").set_value("dev").run()
    assert app.selectbox(key="compare_method").value == "method_1"
    app.switch_page("pages/methods.py").run()
    app.switch_page("pages/compare.py").run()
    assert app.selectbox(key="compare_method").value == "method_1" != best


def test_thresholds_that_hold_for_the_run_are_the_default_and_no_others_are_offered(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    run = made()
    run = replace(run, methods=(*run.methods[:-1], replace(run.methods[-1], tunes="threshold")))
    tuned = {m.id: Tuned(Rule("own", 0.4), "dev", 0.6, 48) for m in run.methods}
    signatures = {m.id: m.signature for m in run.methods}

    def decided(name: str, hour: int, of: dict[str, str]) -> Decision:
        return Decision(name, f"2026-11-29T{hour}:00:00+00:00", "Elsewhere", "other", Objective(), tuned, of)

    freeze(decided("Others", 12, dict.fromkeys(signatures, "another method")))
    app = opened(run)
    rules = app.selectbox(key="compare_rules")
    assert (rules.value, rules.options) == ("starting", ["Starting thresholds"])
    assert "Not offered here: Others (covers no method of this run)." in html(app)
    first, *rest = run.methods
    freeze(decided("Some", 13, {first.id: first.signature}))
    app = opened(run)
    assert app.selectbox(key="compare_rules").options == ["Starting thresholds"]
    lacking = ", ".join(m.title for m in rest[:-1])
    assert f"Not offered here: Some (does not cover {lacking} and {rest[-1].title}) and Others (covers no " in html(app)
    freeze(decided("These", 10, signatures))
    assert opened(run).selectbox(key="compare_rules").value == "These"
    freeze(replace(decided("Further", 14, signatures), beyond=True))
    promised = {**tuned, run.methods[-1].id: Tuned(Rule("min", 0.4), "dev", 0.6, 48)}
    freeze(replace(decided("Promise", 15, signatures), tuned=promised))
    app = opened(run)
    assert app.selectbox(key="compare_rules").value == "These", "what goes beyond the papers is chosen, never the default"
    assert {"Frozen: Further, beyond the paper", "Frozen: Promise, beyond the paper"} < {
        *app.selectbox(key="compare_rules").options
    }
    named = opened(run, rules="Others")
    assert named.selectbox(key="compare_rules").value == "These"
    assert "The link names a choice for “Thresholds” that is not available" in html(named)
    # The shell reads a run by the same thresholds.
    for there in (frozen(), {n: d for n, d in frozen().items() if n != "These"}):
        chosen = default_decision(run, there.values())
        assert (chosen.name if chosen else None) == ("These" if "These" in there else None)


def test_thresholds_chosen_for_a_run_are_not_carried_to_one_that_they_do_not_hold_for(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    run, other = made(), made(seed=3, id="other", name="Other run")
    other = replace(
        other, methods=tuple(replace(m, signature=f"{m.signature}|v2") if m.id != "method_0" else m for m in other.methods)
    )
    tuned = {m.id: Tuned(Rule("own", 0.4), "dev", 0.6, 48) for m in run.methods}
    for name, of in (("These", run), ("Theirs", other)):
        signatures = {m.id: m.signature for m in of.methods}
        freeze(Decision(name, f"2026-11-29T1{len(name)}:00:00+00:00", of.name, of.data_hash, Objective(), tuned, signatures))
    beside = opened(run, other, part="Two runs", run=run.id, other="other")
    assert "Methods of Other run that These does not hold for are read by Theirs." in html(beside)
    assert beside.dataframe[0].value["F1, Other run"].notna().all()
    app = opened(run, other)
    assert app.selectbox(key="compare_rules").value == "These"
    app.selectbox(key="compare_rules").set_value("These").run()
    app.selectbox(key="compare_run").set_value("other").run()
    assert app.selectbox(key="compare_rules").value == "Theirs"
    assert "The link names" not in html(app)
    app.selectbox(key="compare_rules").set_value("starting").run()
    app.selectbox(key="compare_run").set_value(run.id).run()
    assert app.selectbox(key="compare_rules").value == "starting", "what was chosen stays where it can be read"
