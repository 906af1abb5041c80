"""One recommendation: never a method that another ready one dominates on the record, and the same one in every place."""

from itertools import combinations
from pathlib import Path

import pytest
import streamlit as st

from components.scoring.session import this_session
from groundscope.gate.answering import RECOMMENDED, answer_case, found_in
from groundscope.gate.rules import read_rules
from groundscope.methods import advice, registry
from groundscope.methods.advice import recommended
from groundscope.methods.board import PEOPLE, board
from groundscope.methods.defaults import DEFAULTS, open_with
from groundscope.paths import Variable
from groundscope.rag.loading import first_choice

AUROC = {m: {n: r.auroc for n, r in (*row.deciding.items(), *row.others.items())} for m, row in board().methods.items()}
DECIDING = [s.name for s in board().sets if s.decides]


def signed(*methods: str) -> dict[str, str]:
    """Methods as they are here, with their signatures."""
    return {name: registry.find(name).signature for name in methods}


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(Variable.DATA, str(tmp_path))
    # What a test before this one built, perhaps without weights, is not this session's.
    st.session_state.clear()


def test_no_ready_method_dominates_the_recommended_one() -> None:
    signatures = signed(*AUROC)
    for size in range(1, len(AUROC) + 1):
        for ready in combinations(AUROC, size):
            best = AUROC[recommended({m: signatures[m] for m in ready}).method]
            for other in ready:
                pairs = [(AUROC[other][name], best[name]) for name in best]
                assert not (all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)), (ready, other)
                assert min(AUROC[other][name] for name in DECIDING) <= min(best[name] for name in DECIDING)


def test_the_app_recommends_the_best_worst_case_of_what_runs_unasked() -> None:
    unasked = [m for m in AUROC if not registry.find(m).on_request]
    assert recommended().method == max(unasked, key=lambda m: min(AUROC[m][name] for name in DECIDING))


def test_the_board_has_the_methods_that_ship_on_eight_sets_of_which_five_decide() -> None:
    """Claims of CUAD were learned, a model labelled RAGBench, and the samples were written with their errors."""
    on = board()
    assert set(DEFAULTS) <= set(on.methods)
    assert {s.name for s in on.sets if not s.decides} == {"CUAD", "RAGBench ExpertQA", "Samples"}
    assert set(DECIDING) == {"ContractNLI", "SummEdits", "WiCE", "BEGIN", "ExpertQA"}
    assert all(s.labelled == PEOPLE for s in on.sets if s.decides)
    assert on.size == "8 sets, 6 labelled by people"
    for name in registry.ready(DEFAULTS):
        assert recommended(signed(name)).why.startswith("On the worst of 5 sets"), f"{name} is another one now: {on.command}"


def test_every_place_recommends_the_same_method(monkeypatch: pytest.MonkeyPatch) -> None:
    method = recommended().method
    assert this_session().listed[0].id == this_session().recommendation.method == method
    assert read_rules("rules.toml", b"[unsupported]\nat_most = 0.1").unsupported[0].method == method
    assert first_choice(registry.ready(registry.names())).judge.startswith(f"offline:{method}+")
    monkeypatch.setattr(advice, "record_of", lambda _: None)
    open_with("quip")
    places = found_in(answer_case("Bananas are yellow.", "The tenant pays.", ""), [], RECOMMENDED, None), recommended().method
    assert {one.name for one in places[0]} == {places[1]} == {"quip"}


def test_the_users_own_choice_comes_first_and_says_so() -> None:
    open_with("quip")
    assert recommended(signed("grounding_classifier", "quip")) == ("quip", advice._OWN_CHOICE)
    assert recommended(signed("grounding_classifier", "overlap")).method == "grounding_classifier"
    assert this_session().listed[0].id == "quip"


def test_a_method_without_a_record_comes_after_all_that_have_one() -> None:
    assert recommended(signed("minicheck:flan-t5", "quip")).method == "quip"
    # Other parameters, or other weights under the same id, are another method.
    assert recommended(signed("quip") | {"grounding_classifier": "trained here"}).method == "quip"
    assert recommended({"b": "b", "a": "a"}).method == "b"
    with pytest.raises(ValueError, match="no method"):
        recommended({})
