"""Gold labels sentence by sentence: which spans touch it, and which context sentences are its evidence."""

from dataclasses import replace

from groundscope.cases.gold import GoldSentence, gold_sentences, sentence_labels
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


def test_each_sentence_has_the_spans_that_touch_it() -> None:
    first, both = ErrorSpan(3, 5, FACT, "w"), ErrorSpan(5, 8, FACT, "w")
    found = gold_sentences(case(errors=(first, both), unsupported=((13, 16),)))
    assert found == (
        GoldSentence(0, 6, (first, both), (), ()),
        GoldSentence(7, 14, (both,), ((13, 16),), ()),
        GoldSentence(15, 25, (), ((13, 16),), ()),
    )
    assert [s.wrong for s in found] == [True, True, True]
    assert gold_sentences(case()) == (), "nothing is labelled"


@each(("start", "end", "touched"), [(6, 7, []), (0, 6, [0]), (7, 15, [1]), (6, 8, [1]), (0, 25, [0, 1, 2])])
def test_a_span_that_ends_where_a_sentence_begins_does_not_touch_it(start: int, end: int, touched: list[int]) -> None:
    for found in (gold_sentences(case(errors=(ErrorSpan(start, end, FACT),))), gold_sentences(case(unsupported=((start, end),)))):
        assert [i for i, s in enumerate(found) if s.wrong] == touched


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
    assert [(s.start, s.end, s.evidence, s.wrong) for s in gold_sentences(headed)] == [(2, 6, (), False), (8, 14, (0,), False)]
    assert sentence_labels(replace(headed, grounded=True)) == [True, True]


@each(
    ("grounded", "errors", "unsupported", "expected"),
    [
        (True, [], [], [True, True, True]),
        (False, [(0, 1)], [], [False, True, True]),
        (False, [(5, 6)], [], [False, True, True]),
        (False, [(5, 8)], [], [False, False, True]),
        # The space between two sentences belongs to neither.
        (False, [(6, 8)], [], [True, False, True]),
        # Spans without a type count too.
        (False, [(0, 6)], [(15, 25)], [False, True, False]),
        (True, [], [(7, 14)], [True, False, True]),
        # What no one labelled is not known, nor where an answer is wrong that is wrong in no sentence.
        (None, [], [], None),
        (None, [(7, 14)], [], None),
        (False, [], [], None),
        (False, [(6, 7)], [], None),
    ],
)
def test_a_span_makes_the_sentences_wrong_that_it_touches(
    grounded: bool | None, errors: list[tuple[int, int]], unsupported: list[tuple[int, int]], expected: list[bool] | None
) -> None:
    labelled = case(tuple(ErrorSpan(*span, FACT) for span in errors), unsupported=tuple(unsupported))
    assert sentence_labels(replace(labelled, grounded=grounded)) == expected
