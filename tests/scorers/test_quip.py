"""QUIP: shares of character n-grams worked out by hand, and the places and spans that go with them."""

from typing import Any

import pytest

from groundscope.methods import registry
from groundscope.types import Status
from tests.loops import each
from tests.scorers.conftest import MakeCase

ORIGINAL: dict[str, Any] = {"scope": "passage", "aggregation": "pooled"}
"""The way of Weller et al. 2024, whose figures these are."""
GOLDEN = [
    # abc bcx cxa xab abc: the two abc count each time, 2 of 5.
    (3, "abcxabc", ["abcde"], 2 / 5),
    # As long as one n-gram.
    (5, "court", ["The court sat."], 1.0),
    # Longer than the whole context: the response has 6 - 5 + 1 = 2 n-grams, the context none.
    (5, "courts", ["cour"], 0.0),
    # Case stays: The_ he_c e_co _cou cour ourt against the same with a small t; 1 of 6 is lost.
    (4, "The court", ["the court"], 5 / 6),
    # Punctuation stays: ab, b,c ,cd against abcd.
    (3, "ab,cd", ["abcd"], 0.0),
    # White space is one space on both sides: the_ he_c e_ca _cat of "the \t cat" and "the  cat".
    (4, "the \t cat", ["the\u00a0\u3000cat"], 1.0),
    # A line break is no space: ab_ b_c _cd against ab\n b\nc \ncd.
    (3, "ab cd", ["ab\n\r\ncd"], 0.0),
    # An n-gram does not cross passages: abc yes, bcd no, cde no, def yes.
    (3, "abcdef", ["abc", "def"], 2 / 4),
    # One changed character takes at most n n-grams: of 9 - 3 + 1 = 7, those that touch the 5th (cdX dXf Xfg) go.
    (3, "abcdXfghi", ["abcdefghi"], 4 / 7),
    # Code points outside the first plane are one character: 𝔞𝔟𝔠 𝔟𝔠𝔡.
    (3, "𝔞𝔟𝔠𝔡", ["𝔞𝔟𝔠"], 1 / 2),
]


@each(("n", "response", "passages", "support"), GOLDEN)
def test_support_is_the_share_counted_by_hand(n: int, response: str, passages: list[str], support: float, case: MakeCase) -> None:
    judgement = registry.load("quip", n=n, **ORIGINAL).score(case(response, *passages))
    assert judgement.status is Status.SCORED
    assert judgement.support == pytest.approx(support)


def test_the_original_s_example_of_40_in_105_n_grams(case: MakeCase) -> None:
    # 129 characters hold 129 - 25 + 1 = 105 n-grams; of the first 64 characters, which the context has, 64 - 25 + 1 = 40.
    quoted = "the duty to preserve attaches when a party has notice of a claim"
    own = "XYZ" * 21 + "XY"
    assert (len(quoted), len(own)) == (64, 65)
    judgement = registry.load("quip", n=25).score(case(quoted + own, f"Here {quoted}, and so on."))
    assert judgement.support == pytest.approx(0.38095, abs=5e-6)
    assert judgement.sentences[0].verbatim == ((0, 64),)


def test_what_is_shorter_than_an_n_gram_is_not_assessable(case: MakeCase) -> None:
    judgement = registry.load("quip", n=5).score(case("cour", "The court sat."))
    assert judgement.status is Status.NOT_ASSESSABLE
    assert [s.support for s in judgement.sentences] == [None]
    assert "5 characters" in judgement.note
    longer = registry.load("quip", n=10).score(case("It did. The court sat on Monday.", "The court sat on Monday."))
    assert [s.support for s in longer.sentences] == [None, 1.0]


def test_a_quotation_may_cross_sentence_ends_only_in_the_scope_of_a_passage(case: MakeCase) -> None:
    # "sat. It" has sat._ at._I t._It: none lies within one of the context's sentences.
    example = case("sat. It", "The court sat. It rose at noon.")
    assert registry.load("quip", n=5, scope="passage").score(example).support == 1.0
    assert registry.load("quip", n=5).score(example).support == 0.0


def test_the_papers_way_is_the_default(case: MakeCase) -> None:
    # Within the context's sentences, and the response's sentences aggregated: the first is quoted, the second is not.
    example = case("The court ruled. Xqz jkv wpy.", "It sat. The court ruled.")
    judgement = registry.load("quip", n=5).score(example)
    assert ([s.support for s in judgement.sentences], judgement.support) == ([1.0, 0.0], 0.0)
    assert registry.load("quip").signature == "quip|n=21|scope=sentence|aggregation=min"


def test_the_response_pools_n_grams_that_cross_its_sentences(case: MakeCase) -> None:
    # "The court ruled." (16 characters, 12 n-grams) is quoted, "Xqz jkv wpy." (12, 8) is not; with the 5 n-grams that
    # hold the space between them, the 29 characters have 25, and 12 of them are quoted.
    example = case("The court ruled. Xqz jkv wpy.", "The court ruled.")
    judgement = registry.load("quip", n=5, aggregation="pooled").score(example)
    assert [s.support for s in judgement.sentences] == [1.0, 0.0]
    assert judgement.support == pytest.approx(12 / 25)


def test_matches_are_the_quoted_runs_longest_first_each_with_its_share(case: MakeCase) -> None:
    # 34 characters hold 30 n-grams. With the spaces around, " the tenant paid " has 17 characters (13 n-grams) in
    # common with the second passage, " rent rose" 10 (6) with the first.
    response = "Qq rent rose Zz the tenant paid Kk"
    judgement = registry.load("quip", n=5).score(case(response, "His rent rose.", "So the tenant paid it."))
    sentence = judgement.sentences[0]
    found = [(m.passage, m.start, m.end) for m in sentence.matches]
    assert found == [(1, 2, 19), (0, 3, 13)]
    assert [m.support for m in sentence.matches] == pytest.approx([13 / 30, 6 / 30])
    assert [response[a:b] for a, b in sentence.verbatim] == [" rent rose", " the tenant paid "]


def test_offsets_refer_to_the_text_before_normalisation(case: MakeCase) -> None:
    response, passage = "Zz  the \t tenant\r\n   paid Qq", "Kk the\u00a0tenant\n  paid, yes"
    sentence = registry.load("quip", n=5, scope="passage").score(case(response, passage)).sentences[0]
    match = sentence.matches[0]
    assert passage[match.start : match.end] == " the\u00a0tenant\n  paid"
    assert [response[a:b] for a, b in sentence.verbatim] == ["  the \t tenant\r\n   paid"]


def test_the_longest_of_several_places_is_the_match(case: MakeCase) -> None:
    example = case("the tenant paid the rent", "the tenant left", "the tenant paid the bill", "the tenant paid")
    match = registry.load("quip", n=5).score(example).sentences[0].matches[0]
    assert (match.passage, match.start, match.end) == (1, 0, 20)


def test_quoting_in_the_scope_of_sentences_points_into_the_passage(case: MakeCase) -> None:
    passage = "It rained.   The court sat on Monday."
    judgement = registry.load("quip", n=5).score(case("The court sat on Monday.", "Dry.", passage))
    match = judgement.sentences[0].matches[0]
    assert (match.passage, passage[match.start : match.end]) == (1, "The court sat on Monday.")
