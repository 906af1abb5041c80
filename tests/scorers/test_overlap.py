"""Overlap: shares of content bigrams counted by hand."""

import pytest

from groundscope.methods import registry
from groundscope.types import Status
from tests.loops import each
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import matrix_of

GOLDEN = [
    # Content words: court dismissed appeal | court dismissed appeal costs. Of (court dismissed), (dismissed appeal),
    # (appeal costs) the first two stand in the context.
    ("The court dismissed the appeal with costs.", ["The court dismissed the appeal."], 2 / 3),
    # The same words in another order have no bigram in common.
    ("The appeal dismissed the court.", ["The court dismissed the appeal."], 0.0),
    # Repetitions count: tenant paid rent, tenant paid deposit -> (tenant paid) (paid rent) (rent tenant) (tenant paid)
    # (paid deposit); the context has (tenant paid) (paid rent): 3 of 5.
    ("The tenant paid rent and the tenant paid a deposit.", ["A tenant paid rent."], 3 / 5),
    # Found in different context sentences: (court dismissed) in one, (dismissed appeal) in the other.
    ("The court dismissed the appeal.", ["The court dismissed it.", "She dismissed the appeal."], 1.0),
    # A bigram does not cross a context sentence: "... court. Dismissed appeals ..." has no (court dismissed).
    ("Court dismissed.", ["She went to that court. Dismissed appeals are final."], 0.0),
    # One content word alone is looked up as a word.
    ("It was the landlord.", ["The landlord paid."], 1.0),
    ("It was the landlord.", ["The tenant paid."], 0.0),
    # Case and German sharp s are folded: STRASSE = straße.
    ("STRASSE GESPERRT heute.", ["Die Straße gesperrt."], 1 / 2),
    # Digits are words, full stops and commas inside numbers cut them: 4 500 euros -> (4 500) (500 euros).
    ("4,500 euros.", ["He owed 4.500 euros."], 1.0),
    # The underscores of Markdown are no part of a word.
    ("The _court_ dismissed.", ["The court dismissed."], 1.0),
    # An apostrophe belongs to its word: tenant's is not tenant.
    ("Tenant's duty.", ["The tenant duty."], 0.0),
]


@each(("response", "passages", "support"), GOLDEN)
def test_support_is_the_share_counted_by_hand(response: str, passages: list[str], support: float, case: MakeCase) -> None:
    judgement = registry.load("overlap").score(case(response, *passages))
    assert judgement.status is Status.SCORED
    assert judgement.support == pytest.approx(support)
    assert [s.support for s in judgement.sentences] == pytest.approx([support])


def test_a_sentence_of_stop_words_alone_is_not_assessable(case: MakeCase) -> None:
    judgement = registry.load("overlap").score(case("It is what it was.", "It is what it was."))
    assert judgement.status is Status.NOT_ASSESSABLE
    assert [s.support for s in judgement.sentences] == [None]
    assert judgement.note


def test_each_context_sentence_has_its_share_and_matches_come_best_first(case: MakeCase) -> None:
    # (court dismissed) (dismissed appeal) (appeal costs): the first sentence has none of the 3, the second 1, the third 2;
    # together they have all. What shares nothing is no match.
    context = ["The sun shone. He had appeal costs.", "The court dismissed the appeal."]
    judgement = registry.load("overlap").score(case("The court dismissed the appeal with costs.", *context))
    assert matrix_of(judgement).tolist() == [pytest.approx([0.0, 1 / 3, 2 / 3])]
    assert judgement.support == 1.0
    matches = judgement.sentences[0].matches
    assert [context[m.passage][m.start : m.end] for m in matches] == [context[1], "He had appeal costs."]
    assert [m.support for m in matches] == pytest.approx([2 / 3, 1 / 3])


@pytest.mark.parametrize(("aggregation", "support"), [("min", 0.0), ("mean", (1.0 + 0.0 + 0.5) / 3)])
def test_sentences_make_the_response(aggregation: str, support: float, case: MakeCase) -> None:
    # (costs awarded) 1 of 1; (rent rose) 0 of 1; (costs awarded) (awarded yesterday) 1 of 2; the last is not assessable.
    response = "Costs were awarded. The rent rose. Costs were awarded yesterday. It was what it was."
    judgement = registry.load("overlap", aggregation=aggregation).score(case(response, "Costs were awarded."))
    assert [s.support for s in judgement.sentences] == [1.0, 0.0, 0.5, None]
    assert judgement.support == pytest.approx(support)
