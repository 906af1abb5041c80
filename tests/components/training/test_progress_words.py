"""What the fine-tuning panel says, without a page."""

from components.training import progress as words
from groundscope.training.options import TrainingProgress
from groundscope.training.pairs import parts
from tests.components.labelled_set import cases

BEFORE = {"macro_f1": 0.5, "threshold": 0.4, "auroc": 0.51, "brier": 0.3}
AFTER = {"macro_f1": 0.7, "threshold": 0.6, "auroc": 0.75, "brier": 0.2}
BESIDE = [{"method": "grounding_classifier:own", **AFTER, "seconds": 0.2}, {"method": "cos_sim:minilm", **BEFORE, "seconds": 0.1}]
RECORD = {
    "dev_before": BEFORE,
    "dev_after": AFTER,
    "pairs": {"train": 400, "dev": 58},
    "responses": {"responses": 37, "beside": BESIDE},
}


def report(step: int, seconds: float, **more: float) -> TrainingProgress:
    return TrainingProgress(step, 100, seconds, **more)


def test_what_was_done_again_after_a_stop_counts_once() -> None:
    found = [report(10, 1, loss=0.9), report(20, 2, loss=0.8), report(20, 2, dev_f1=0.5, dev_auroc=0.6)]
    found += [report(15, 3), report(20, 4, loss=0.7), report(20, 5, dev_f1=0.55, dev_auroc=0.65)]
    assert words.points(found) == ([(10, 0.9), (20, 0.7)], [(20, 0.55, 0.65)])
    assert words.points([]) == ([], [])
    assert words.curve_words(*words.points(found)).startswith("Loss 0.700 at step 20, 0.900 at first; on dev macro-F1 0.550")
    assert words.curve_words([], []) == ""


def test_the_verdict_says_whether_dev_got_better_and_that_few_pairs_say_little() -> None:
    said = words.verdict(RECORD)
    assert "On the 58 pairs of dev macro-F1 rose, from 0.500 to 0.700." in said
    assert "On whole responses it is better than cosine, 0.700 against 0.500." in said
    # 37 responses: 1 / sqrt(37).
    assert said.endswith("With so few, a difference below about 0.16 may be chance.")
    assert "fell, from 0.700 to 0.500" in words.verdict({**RECORD, "dev_before": AFTER, "dev_after": BEFORE})
    many = {**RECORD, "pairs": {"dev": 3_000}, "responses": None, "dev_after": BEFORE}
    assert words.verdict(many) == "On the 3,000 pairs of dev macro-F1 stayed at 0.500."
    assert words.verdict({}) == ""


def test_the_parts_of_a_set_are_reported() -> None:
    assert words.parts_words(parts(cases()), "Mine") == (
        "Mine: 10 responses to learn from (train), 6 to steer by (dev). 2 are not used: those in test, and those without a label."
    )
