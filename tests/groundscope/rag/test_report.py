"""The whole analysis: JSON that loses nothing, and sentences that say what the figures say."""

import json

import pytest

from groundscope.rag.outcomes import Answer
from groundscope.rag.ranking import rankings
from groundscope.rag.report import as_json, p_words, report, stars
from tests.groundscope.rag.samples import published
from tests.loops import each


def test_a_baseline_can_be_chosen_and_must_be_there() -> None:
    found = report(list(published()), "Kanon 2 Embedder", "GPT-5.2")
    assert found.tests["both"].embedders[0].against == "Kanon 2 Embedder"
    assert found.tests["both"].models[0].what == "Gemini 3.1 Pro"
    # Where the paper's are not there, it is the first.
    other = report([Answer("x", "y", "q", True, True, True)])
    assert (other.baseline_embedder, other.baseline_model) == ("x", "y")
    with pytest.raises(ValueError, match="The baseline embedder nobody is not in these results"):
        report(list(published()), "nobody")
    with pytest.raises(ValueError, match="no answers"):
        report([])


def test_json_holds_every_figure_and_only_plain_values() -> None:
    made = as_json(report(list(published())))
    again = json.loads(json.dumps(made, allow_nan=False))
    assert again == made
    kanon = next(c for c in made["combinations"] if (c["embedder"], c["llm"]) == ("Kanon 2 Embedder", "GPT-5.2"))
    assert (kanon["correct"]["share"], kanon["retrieval"]["share"]) == (0.93, 0.86)
    assert set(made["tests"]) == {"correct", "grounded", "both"}
    tests = made["tests"]["correct"]
    assert tests["embedder_main_effect"]["degrees"] == 2
    assert len(tests["llms_within_embedder"]) == 3
    assert len(tests["interaction_contrasts"]) == 3
    estimate = next(e for e in tests["embedders"] if e["what"] == "Kanon 2 Embedder")
    assert estimate["value"] == pytest.approx((0.95 + 0.93 - 0.77 - 0.76) / 2)


def test_json_holds_retrieval_with_null_where_it_is_not_known() -> None:
    answers = [Answer("e", "m", "1", True, True, True, relevant=("a",), retrieved=("b", "a"))]
    assert as_json(report(answers))["retrieval"] == []
    made = as_json(report(answers), rankings(answers))
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    (found,) = made["retrieval"]
    assert (found["retriever"], found["questions"], found["depth"], found["mrr"], found["hit@1"]) == ("e", 1, 2, 0.5, 0.0)
    # One question has no interval, and two passages tell nothing of three.
    assert [found[name] for name in ("mrr low", "mrr high", "hit@3", "ndcg@10")] == [None] * 4


def test_what_cannot_be_reported_is_null_with_a_reason() -> None:
    made = as_json(report([Answer("x", "y", "q", None, None, None)]))
    assert made["combinations"][0]["correct"]["share"] is None
    assert "only one was run" in made["tests"]["correct"]["embedder_main_effect"]["cannot_tell"]


@each(
    ("p", "marks", "words"),
    [
        (0.0009, "***", "p < 0.001"),
        (0.001, "**", "p = 0.001"),
        (0.01, "*", "p = 0.010"),
        (0.05, "†", "p = 0.050"),
        (0.0999, "†", "p = 0.100"),
        (0.1, "", "p = 0.100"),
        (0.7, "", "p = 0.700"),
    ],
)
def test_stars_begin_below_each_limit(p: float, marks: str, words: str) -> None:
    assert (stars(p), p_words(p)) == (marks, words)
