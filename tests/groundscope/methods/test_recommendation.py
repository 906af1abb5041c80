"""One recommendation: never a method that another ready one dominates on the record, and the same one in every place."""

import json
from itertools import combinations
from pathlib import Path

import pytest

from components.worker import scoring
from groundscope.gate.answering import RECOMMENDED, answer_case, found_in
from groundscope.gate.rules import read_rules
from groundscope.methods import recommendation, registry
from groundscope.methods.defaults import DEFAULTS, open_with
from groundscope.methods.recommendation import FILE, recommended
from groundscope.paths import DATA_VARIABLE
from groundscope.rag.loading import first_choice

RECORD = json.loads(FILE.read_text(encoding="utf-8"))
AUROC = {m: [f["auroc"] for f in entry["sets"].values()] for m, entry in RECORD["methods"].items()}
PEOPLE = [i for i, s in enumerate(RECORD["sets"]) if s["labelled"] == "people"]


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))


def test_no_ready_method_dominates_the_recommended_one() -> None:
    for size in range(1, len(AUROC) + 1):
        for ready in combinations(AUROC, size):
            best = AUROC[recommended(ready).method]
            for other in ready:
                pairs = list(zip(AUROC[other], best, strict=True))
                assert not (all(a >= b for a, b in pairs) and any(a > b for a, b in pairs)), (ready, other)
                assert min(AUROC[other][i] for i in PEOPLE) <= min(best[i] for i in PEOPLE)


def test_the_record_is_of_the_methods_that_ship_on_several_sets_labelled_by_people() -> None:
    assert set(DEFAULTS) <= set(RECORD["methods"])
    assert len(PEOPLE) >= 4
    for name in registry.ready(DEFAULTS):
        assert recommended([name]).why.startswith("On the worst of"), f"{name} is another one now: {RECORD['command']}"


def test_every_place_recommends_the_same_method(monkeypatch: pytest.MonkeyPatch) -> None:
    method = recommended().method
    assert scoring.methods()[0].id == scoring.recommendation().method == method
    assert read_rules("rules.toml", b"[unsupported]\nat_most = 0.1").unsupported[0].method == method
    assert first_choice(registry.ready(registry.names())).judge.startswith(f"offline:{method}+")
    monkeypatch.setattr(recommendation, "measured", lambda: ())
    open_with("quip")
    places = found_in(answer_case("Bananas are yellow.", "The tenant pays.", ""), [], RECOMMENDED, None), recommended().method
    assert {one.name for one in places[0]} == {places[1]} == {"quip"}


def test_the_users_own_choice_comes_first_and_says_so() -> None:
    open_with("quip")
    assert recommended(["grounding_classifier", "quip"]) == ("quip", recommendation._OWN_CHOICE)
    assert recommended(["grounding_classifier", "overlap"]).method == "grounding_classifier"
    assert scoring.methods()[0].id == "quip"


def test_a_method_without_a_record_comes_after_all_that_have_one() -> None:
    assert recommended(["minicheck:flan-t5", "quip"]).method == "quip"
    # Other parameters, or other weights under the same id, are another method.
    assert recommended(["grounding_classifier", "quip"], {"grounding_classifier": "trained here"}).method == "quip"
    assert recommended(["b", "a"]).method == "b"
    with pytest.raises(ValueError, match="no method"):
        recommended([])
