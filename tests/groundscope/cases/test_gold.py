"""Gold labels sentence by sentence: which spans touch it, and which context sentences are its evidence."""

from groundscope.cases.gold import GoldSentence, gold_sentences, sentence_labels
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.loops import each

# Sentences: 0 to 6, 7 to 14, 15 to 24; in the context 0 to 10 and 11 to 21, and 0 to 12 of the second passage.
RESPONSE = "It is. It was. It may be."
CONTEXT = (Passage("a", "One holds. Two holds."), Passage("b", "Three holds."))
FACT = ErrorType.FACTUAL_INACCURACY


def case(
    errors: tuple[ErrorSpan, ...] = (), evidence: tuple[EvidenceSpan, ...] = (), unsupported: tuple[tuple[int, int], ...] = ()
) -> Case:
    return Case("c", "q", CONTEXT, RESPONSE, errors=errors, evidence=evidence, unsupported=unsupported)


def units(*evidence: EvidenceSpan) -> list[tuple[int, ...]]:
    return [s.evidence for s in gold_sentences(case(evidence=evidence))]


def test_a_case_without_labels_has_no_gold_sentences() -> None:
    assert gold_sentences(case()) == ()


def test_each_sentence_has_the_spans_that_touch_it() -> None:
    first, both = ErrorSpan(3, 5, FACT, "w"), ErrorSpan(5, 8, FACT, "w")
    found = gold_sentences(case(errors=(first, both), unsupported=((13, 16),)))
    assert found == (
        GoldSentence(0, 6, (first, both), (), ()),
        GoldSentence(7, 14, (both,), ((13, 16),), ()),
        GoldSentence(15, 25, (), ((13, 16),), ()),
    )
    assert [s.wrong for s in found] == [True, True, True]


@each(("start", "end", "touched"), [(6, 7, []), (0, 6, [0]), (7, 15, [1]), (6, 8, [1]), (0, 25, [0, 1, 2])])
def test_a_span_that_ends_where_a_sentence_begins_does_not_touch_it(start: int, end: int, touched: list[int]) -> None:
    for found in (gold_sentences(case(errors=(ErrorSpan(start, end, FACT),))), gold_sentences(case(unsupported=((start, end),)))):
        assert [i for i, s in enumerate(found) if s.wrong] == touched


def test_evidence_alone_makes_no_sentence_wrong() -> None:
    assert [s.wrong for s in gold_sentences(case(evidence=(EvidenceSpan(0, 6, 0, 0, 10),)))] == [False] * 3


@each(
    ("passage", "start", "end", "expected"),
    [
        (0, 0, 10, (0,)),
        (0, 0, 21, (0, 1)),
        (1, 0, 12, (2,)),
        # 5 of the 10 characters are half; so is a span that lies within, however short.
        (0, 0, 5, (0,)),
        (0, 3, 4, (0,)),
        # 1 character of the first sentence, all of the second.
        (0, 9, 21, (1,)),
        # 5 of 10 and all: half is enough.
        (0, 5, 21, (0, 1)),
        (0, 6, 21, (1,)),
        # 6 characters: 2 in the first, 3 in the second, which is half of the span.
        (0, 8, 14, (1,)),
    ],
)
def test_a_context_sentence_is_gold_if_the_span_covers_half_or_lies_within(
    passage: int, start: int, end: int, expected: tuple[int, ...]
) -> None:
    assert units(EvidenceSpan(0, 6, passage, start, end)) == [expected, (), ()]


def test_evidence_of_several_spans_is_joined_in_reading_order() -> None:
    found = units(EvidenceSpan(0, 6, 1, 0, 12), EvidenceSpan(0, 8, 0, 0, 10), EvidenceSpan(2, 3, 1, 0, 12))
    assert found == [(0, 2), (0,), ()]


def test_headings_have_an_entry_too() -> None:
    headed = Case("c", "q", CONTEXT, "# Rule\n\nIt is.", evidence=(EvidenceSpan(8, 14, 0, 0, 10),))
    assert [(s.start, s.end, s.evidence) for s in gold_sentences(headed)] == [(2, 6, ()), (8, 14, (0,))]


LABELLED = "# Outcome\n\nHe paid the rent. She left the house.\n\n1. The court sat in May."
PLACES = [(s.start, s.end) for s in split(LABELLED)]


def _labels(grounded: bool | None, *errors: tuple[int, int], unsupported: tuple[tuple[int, int], ...] = ()) -> list[bool] | None:
    spans = tuple(ErrorSpan(a, b, ErrorType.REASONING_ERROR) for a, b in errors)
    made = Case("c", "q", (Passage("p", "He paid."),), LABELLED, grounded=grounded, errors=spans, unsupported=unsupported)
    return sentence_labels(made)


def test_a_span_makes_the_sentences_wrong_that_it_touches() -> None:
    assert len(PLACES) == 4
    one, two = PLACES[1], PLACES[2]
    assert _labels(True) == [True, True, True, True]
    assert _labels(False, (one[0], one[0] + 1)) == [True, False, True, True]
    assert _labels(False, (one[1] - 1, one[1])) == [True, False, True, True]
    assert _labels(False, (one[1] - 1, two[0] + 1)) == [True, False, False, True]
    # The space between two sentences belongs to neither.
    assert _labels(False, (one[1], two[0] + 1)) == [True, True, False, True]
    assert _labels(False, one, PLACES[3]) == [True, False, True, False]


def test_spans_without_a_type_count_too() -> None:
    assert _labels(False, unsupported=(PLACES[2],)) == [True, True, False, True]
    assert _labels(False, PLACES[1], unsupported=(PLACES[2],)) == [True, False, False, True]
    assert _labels(True, unsupported=(PLACES[2],)) == [True, True, False, True]


def test_what_no_one_labelled_is_not_known() -> None:
    assert _labels(None) is None
    assert _labels(None, PLACES[1]) is None
    assert _labels(False) is None
    # Wrong somewhere, and in no sentence: it is not known where.
    assert _labels(False, (PLACES[1][1], PLACES[1][1] + 1)) is None
