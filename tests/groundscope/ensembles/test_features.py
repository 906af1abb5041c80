"""Columns of an ensemble: counted by hand."""

import numpy as np
import pytest

from groundscope.methods import registry
from groundscope.text.sentences import split
from groundscope.training.ensemble_features import Table, feature_names, table, unfit, usable
from groundscope.types import Judgement, SentenceScore, Status
from tests.groundscope.ensembles.judged import NOWHERE, case, judged

HERE, GONE = "that the evidence lacks", "of the evidence that are gone"
MODALS = f"shall, may, must {HERE}"

COUNTED = [
    ("He paid the rent in full.", "He paid the rent in full.", {}),
    # 12 stands on both sides, 30 on one.
    ("The lease of 12 months has 30 rooms.", "The lease runs for 12 months.", {f"numbers {HERE}": 1, NOWHERE: 1}),
    # What the evidence has more of is no fault of the sentence: only duties and negations are looked for there.
    ("The lease runs for 12 months.", "The lease of 12 months has 30 rooms and began on 3 May 2020.", {}),
    # The same number in words.
    ("The lease has thirty rooms.", "The lease has 30 rooms.", {}),
    ("He left on 3 May 2020.", "He left on 4 May 2020.", {f"dates {HERE}": 1, NOWHERE: 1}),
    ("He left on 3 May 2020.", "He left on May 3, 2020.", {}),
    ("He owed $1.5 million.", "He owed $1,500,000.", {}),
    ("He owed $500 and €20.", "He owed $600.", {f"amounts {HERE}": 2, NOWHERE: 2}),
    ("The rent went to Okafor.", "The rent went to Lindqvist.", {f"names {HERE}": 1, NOWHERE: 1}),
    ('He called it "an utter waste".', "He called it a waste.", {f"quotations {HERE}": 1, NOWHERE: 1}),
    ("It rests on 29 U.S.C. § 1109(a).", "It rests on 29 U.S.C. § 1110(b).", {f"citations {HERE}": 1, NOWHERE: 1}),
    ("He may leave.", "He must leave.", {MODALS: 1, f"shall, may, must {GONE}": 1}),
    ("He shall leave.", "He must leave.", {MODALS: 1, f"shall, may, must {GONE}": 1}),
    ("He left.", "He must leave, and he shall pay.", {f"shall, may, must {GONE}": 2}),
    ("He did not leave.", "He left.", {f"negations {HERE}": 1}),
    ("He left.", "He did not leave, unless he never came.", {f"negations {GONE}": 3}),
    ("He did not leave.", "He didn't leave.", {}),
    # More than three say no more than three.
    ("It has 11, 12, 13, 14 and 15 rooms.", "It has rooms.", {f"numbers {HERE}": 3, NOWHERE: 3}),
    ("He left.", "He must, may, shall, should or could leave.", {f"shall, may, must {GONE}": 3}),
]


def _row(found: Table, i: int = 0) -> dict[str, float]:
    return {name: float(value) for name, value in zip(found.names, found.values[i], strict=True) if value}


@pytest.mark.parametrize(("said", "evidence", "counted"), COUNTED)
def test_differences_are_counted_as_by_hand(said: str, evidence: str, counted: dict[str, int]) -> None:
    example = case(said, evidence)
    assert len(split(said)) == len(split(evidence)) == 1
    found = table(example, {"overlap": judged(example, [0.25], evidence=[0])})
    assert _row(found) == {"support by overlap": 0.25, **counted}


def test_a_column_has_a_name_of_its_own_in_plain_words() -> None:
    names = feature_names(["cos_sim:minilm", "quip"])
    assert names[:2] == ("support by cos_sim:minilm", "support by quip")
    assert len(set(names)) == len(names) == 13
    assert names[2:] == feature_names([])


def test_what_another_passage_says_is_not_in_the_evidence_and_yet_somewhere() -> None:
    example = case("Okafor owed $500.", "Lindqvist owed $600.", "Later $500 went to Okafor.")
    found = table(example, {"overlap": judged(example, [0.5], evidence=[0])})
    assert _row(found) == {"support by overlap": 0.5, f"amounts {HERE}": 1.0}
    # A sentence's first word is no name by its capital alone.
    example = case("The rent of Okafor was $500.", "The rent of Lindqvist was $600.", "Later $500 went to Okafor.")
    found = table(example, {"overlap": judged(example, [0.5], evidence=[0])})
    assert _row(found) == {"support by overlap": 0.5, f"amounts {HERE}": 1.0, f"names {HERE}": 1.0}
    found = table(example, {"overlap": judged(example, [0.5], evidence=[1])})
    assert _row(found) == {"support by overlap": 0.5}


def test_the_evidence_are_the_three_best_matches_of_the_first_method_that_has_any() -> None:
    example = case("It has 1 court, 12 rooms, 13 doors and 14 gates.", "It has 11.", "It has 12.", "It has 13.", "It has 14.")
    spans = [(0, 1, 2), (1, 2, 3), (3, 2, 1, 0)]
    lacked = [float(_row(table(example, {"quip": judged(example, [0.5], evidence=e)}))[f"numbers {HERE}"]) for e in spans]
    # 1 stands nowhere; of 12, 13 and 14 the first evidence has two, the others three.
    assert lacked == [2.0, 1.0, 1.0]
    none, some = judged(example, [0.1]), judged(example, [0.9], evidence=[1, 2, 3])
    other = judged(example, [0.9], evidence=[0])
    assert _row(table(example, {"a": none, "b": some, "c": other}))[f"numbers {HERE}"] == 1.0
    assert _row(table(example, {"a": none}))[f"numbers {HERE}"] == 3.0


def test_what_a_method_did_not_assess_is_nan_and_headings_are_left_out() -> None:
    example = case("# Outcome\n\nHe paid. He paid the rent of May.\n\n# Costs\n\nIt was so.", "He paid the rent of May.")
    assert [s.heading for s in split(example.response)] == [True, False, False, True, False]
    found = table(
        example,
        {
            "quip": judged(example, [None, None, 0.75, None, None], evidence=[0]),
            "overlap": judged(example, [None, 0.5, 1.0, None, None], evidence=[0]),
        },
    )
    assert found.places == (1, 2)
    assert found.names == feature_names(["quip", "overlap"])
    np.testing.assert_array_equal(found.values[:, :2], [[np.nan, 0.5], [0.75, 1.0]])
    assert not np.isnan(found.values[:, 2:]).any()


def test_a_method_that_assessed_nothing_is_a_column_without_numbers() -> None:
    example = case("He paid.", "He paid the rent.")
    nothing, some = judged(example, [None]), judged(example, [0.5])
    assert usable(nothing)
    found = table(example, {"quip": nothing, "overlap": some})
    np.testing.assert_array_equal(found.values[:, :2], [[np.nan, 0.5]])
    assert table(example, {"quip": nothing}).values.shape == (0, len(feature_names(["quip"])))


def test_real_methods_give_their_own_supports() -> None:
    example = case(
        "The tenant paid the rent of 500 euros. The landlord may sue.", "The tenant paid the rent of 500 euros. He can sue."
    )
    both = {m: registry.load(m).score(example) for m in ("overlap", "quip")}
    found = table(example, both)
    assert found.values[:, :2].T.tolist() == [[s.support for s in j.sentences] for j in both.values()]
    assert _row(found, 0) == {"support by overlap": 1.0, "support by quip": 1.0}
    assert found.values[1, found.names.index(MODALS)] == 1.0


def test_methods_that_judge_other_sentences_are_refused() -> None:
    example = case("He paid. She left the house.", "He paid.")
    whole = Judgement(Status.SCORED, 0.5, (SentenceScore(0, len(example.response), 0.5),))
    without = Judgement(Status.SCORED, 0.5)
    both = judged(example, [0.5, 0.5])
    for others in ({"a": both, "b": whole}, {"a": both, "b": without}, {"a": without}, {"a": without, "b": without}, {}):
        with pytest.raises(ValueError, match="methods that judge the same sentences, one by one"):
            table(example, others)


@pytest.mark.parametrize("status", [Status.FAILED, Status.INVALID, Status.ABSTAINED, Status.NOT_ASSESSABLE])
def test_a_judgement_without_sentences_cannot_be_used(status: Status) -> None:
    assert not usable(Judgement(status, note="Why not."))


@pytest.mark.parametrize("method", registry.names())
def test_only_methods_of_this_machine_can_be_a_part(method: str) -> None:
    why = unfit(method, registry.load(method))
    if method.startswith("ensemble"):
        assert why == "An ensemble cannot be a part of an ensemble; name its methods themselves."
    elif method.startswith("cascade"):
        assert why == "A cascade cannot be a part of an ensemble; name its methods themselves."
    elif registry.load(method).asks:
        assert why.startswith(f"{method} asks a chat model")
    else:
        assert why == ""
