"""The app's own small benchmark: what comes of the sample set, and of cases that are less tidy."""

from pathlib import Path

import pytest

from groundscope.cases.dataset import read
from groundscope.rag.corpora.sample_corpus import LICENCE, NAME, from_samples
from groundscope.rag.types import Benchmark, Question
from groundscope.types import Case, EvidenceSpan, Passage

SAMPLES = Path(__file__).resolve().parents[3] / "sample_data" / "legal_qa.jsonl"
ONE, TWO, BLANK = Passage("p1", "One.", "S"), Passage("p2", "Two."), Passage("p3", " ")


@pytest.fixture(scope="module")
def cases() -> tuple[Case, ...]:
    return read(SAMPLES.name, SAMPLES.read_bytes()).cases


@pytest.fixture(scope="module")
def made(cases: tuple[Case, ...]) -> Benchmark:
    return from_samples(cases)


def test_the_sample_set_gives_what_its_data_card_says(made: Benchmark) -> None:
    assert (len(made.passages), len({p.id for p in made.passages}), len({p.text for p in made.passages})) == (812, 812, 812)
    assert (len(made.questions), len({q.id for q in made.questions})) == (124, 124)
    assert (made.problems, made.name, made.licence) == ((), NAME, LICENCE)


def test_every_question_of_the_sample_set_has_a_reference_and_relevant_passages(made: Benchmark, cases: tuple[Case, ...]) -> None:
    first, texts = {c.group: c for c in reversed(cases) if c.grounded}, {p.id: p.text for p in made.passages}
    for question in made.questions:
        original = first[question.id]
        assert (question.text, question.reference) == (original.query, original.response)
        gold = {original.context[e.passage].text for e in original.evidence}
        assert {texts[i] for i in question.relevant} == gold
        assert len(question.relevant) == len(gold) > 0
        # Every question has at least two passages that bear on a neighbouring point only.
        assert len(original.context) - len(gold) >= 2


def test_an_edited_variant_is_no_reference_even_where_it_comes_first() -> None:
    variant = Case("v", "Q?", (ONE, TWO), "Edited.", grounded=True, group="g", parent="o")
    original = Case("o", "Q?", (ONE, TWO), "Said.", True, evidence=(EvidenceSpan(0, 4, 1, 0, 3),), group="g")
    assert from_samples([variant, original]).questions == (Question("g", "Q?", "Said.", ("g-p2",)),)


def test_what_two_groups_cite_in_the_same_words_is_one_passage() -> None:
    first = Case("a", "Q?", (ONE,), "Said.", True, evidence=(EvidenceSpan(0, 4, 0, 0, 3),))
    second = Case("b", "R?", (Passage("p9", "One.", "S"), Passage("p1", "One.", "T")), "Said.", True)
    other = Case("c", "R?", (ONE,), "Told.", True, evidence=(EvidenceSpan(0, 4, 0, 0, 3),))
    made = from_samples([first, second, other])
    assert made.passages == (Passage("a-p1", "One.", "S"), Passage("b-p1", "One.", "T"))
    assert [q.relevant for q in made.questions] == [("a-p1",), (), ("a-p1",)]


def test_ids_stay_unique_where_names_run_together() -> None:
    same = Case("a", "Q?", (ONE, Passage("p1", "Other."), Passage("p1-2", "Third.")), "Said.", True)
    assert [p.id for p in from_samples([same]).passages] == ["a-p1", "a-p1-2", "a-p1-2-2"]


def test_a_question_without_a_grounded_response_stays_and_is_named() -> None:
    made = from_samples([Case("a", "Q?", (ONE,), "Wrong.", grounded=False), Case("b", "R?", (TWO,), "Said.", True)])
    assert made.questions == (Question("a", "Q?"), Question("b", "R?", "Said."))
    assert made.problems == ("a has no grounded response, so it cannot be judged whether an answer is correct.",)


def test_an_empty_query_is_named_and_an_empty_passage_is_none() -> None:
    blank = Case("a", " ", (ONE, BLANK), "Said.", True)
    cited = Case("b", "Q?", (TWO, BLANK), "Said.", True, evidence=(EvidenceSpan(0, 4, 1, 0, 1), EvidenceSpan(0, 4, 0, 0, 1)))
    made = from_samples([blank, cited])
    assert [p.id for p in made.passages] == ["a-p1", "b-p2"]
    assert made.questions == (Question("b", "Q?", "Said.", ("b-p2",)),)
    assert made.problems == ("a asks nothing and was left out; its passages stay.",)
