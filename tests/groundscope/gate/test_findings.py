"""What exact checks find in an answer, and what is to be read beside it."""

from dataclasses import replace

import pytest

from groundscope.errors import DataError
from groundscope.gate.findings import checked_answer, nearest
from groundscope.gate.matching import pair_questions
from groundscope.gate.measuring import citations_share, facts_share
from groundscope.gate.rules import CitationsRule, FactsRule
from groundscope.types import Case, Passage
from tests.groundscope.gate.answers import CITED, NOT_THERE, OTHER_YEAR, SOUND, WRONG_FIGURE, answer


def test_a_figure_that_the_sources_lack_is_found_with_its_words_and_the_place_to_read() -> None:
    case = answer(SOUND, WRONG_FIGURE)
    found = checked_answer(case)
    ((kind, one),) = found.facts
    assert (found.sentences, kind, one.why) == (2, "figures", "“$950” is not in the sources; the nearest sentence has “$900”.")
    assert (one.sentence, case.response[one.start : one.end]) == (1, "$950")
    beside = nearest(case, [one])
    assert beside is not None
    assert (beside.place, beside.text) == ("Lease, sentence 2", "The rent is $900 a month.")
    assert beside.differs == ("Money: “$950” here, “$900” there",)


def test_each_finding_has_its_kind() -> None:
    case = answer("Mr. Miller agreed.", 'The lease says "rent is due at dawn sharp".', "The rent is $950 a month.")
    kinds = {kind for kind, _ in checked_answer(case).facts}
    assert kinds >= {"names", "quotes", "figures"}
    only = facts_share([checked_answer(case)], FactsRule(kinds=("figures",)))
    assert only.counts.tolist() == [[1, 3]]


def test_citations_are_in_the_sources_or_differ_or_are_not_there() -> None:
    found = [checked_answer(answer(SOUND, cite)) for cite in (CITED, OTHER_YEAR, NOT_THERE)]
    assert [(f.citations, len(f.different), len(f.absent)) for f in found] == [(1, 0, 0), (1, 1, 0), (1, 0, 1)]
    assert found[1].different[0].why.endswith("is in the sources, but different (year 1991, in the sources 1993).")
    assert found[2].absent[0].why == "“Roe v. Poe, 99 F.2d 11 (2d Cir. 1950)” is not in the sources."
    # The names and years of a citation are looked up with it, and count once.
    assert [f.facts for f in found] == [(), (), ()]
    assert citations_share(found, CitationsRule()).counts.tolist() == [[0, 1], [1, 1], [1, 1]]
    assert citations_share(found, CitationsRule(different=False)).counts.tolist() == [[0, 1], [0, 1], [1, 1]]


def test_a_sentence_counts_once_whatever_is_found_in_it() -> None:
    share = facts_share([checked_answer(answer("Mr. Miller pays $950 by May 3, 2019."))], FactsRule())
    assert share.counts.tolist() == [[1, 1]]
    (one,) = share.findings
    assert one.why.count("is not in the sources") == len(one.findings) >= 3


def asked(*queries: str, ids: str = "abcdefghijk", numbered: bool = False) -> list[Case]:
    return [replace(answer("Yes.", id=i, query=q), numbered=numbered) for i, q in zip(ids, queries, strict=False)]


def test_questions_are_paired_by_their_words_in_any_order() -> None:
    found = pair_questions(asked("One?", "Two?", "One?"), asked("two?", " one?", ids="xy"))
    assert (found.current.tolist(), found.baseline.tolist(), found.questions, found.notes) == ([0, 1, 0], [1, 0], 2, ())


TEN = "One? Two? Three? Four? Five? Six? Seven? Eight? Nine? Ten?".split()


def test_one_reworded_question_of_ten_is_paired_by_the_id_of_the_file_and_said() -> None:
    found = pair_questions(asked("Uno?", *TEN[1:]), list(reversed(asked(*TEN))))
    assert (found.current.tolist(), found.baseline.tolist()) == ([*range(10)], [*reversed(range(10))])
    assert found.notes == ("Other words than in the baseline under the same id: 1 of 10 questions (a).",)


@pytest.mark.parametrize("numbered", [(True, True), (True, False), (False, True)])
def test_ids_that_a_row_got_here_pair_nothing(numbered: tuple[bool, bool]) -> None:
    """They are those of rows, which another file has as well."""
    here, there = asked("Uno?", *TEN[1:], numbered=numbered[0]), asked(*TEN, numbered=numbered[1])
    with pytest.raises(DataError, match=r"1 question is only in the file .* Rows without an id pair by the words"):
        pair_questions(here, there)
    assert pair_questions(asked(*TEN, ids="zyxwvutsrq", numbered=numbered[0]), there).questions == 10


def test_more_than_a_tenth_of_other_words_under_the_same_ids_are_other_questions() -> None:
    with pytest.raises(DataError, match=r"same id: 2 of 10 questions \(a, b\)\. At most 10 % may differ"):
        pair_questions(asked("Uno?", "Dos?", *TEN[2:]), asked(*TEN))


def test_where_one_question_stands_for_all_the_sources_tell_rows_apart() -> None:
    rows = [replace(c, context=(Passage("p", f"Text {c.id}."),), numbered=True) for c in asked(*["Summarise."] * 4)]
    found = pair_questions(rows, list(reversed(rows)))
    assert (found.questions, found.baseline.tolist()) == (4, [3, 2, 1, 0])
    bare = [replace(c, query="") for c in rows]
    assert pair_questions(bare, bare).questions == 4
    # Samples of one answer, each from other passages, are one question.
    other = [replace(c, context=(Passage("p", f"Other {c.id}."),)) for c in rows]
    assert pair_questions(rows, other).questions == 1


def test_other_questions_are_refused_with_the_difference() -> None:
    here = asked("One?", "Two?", "Three?", "Four?", "Five?")
    with pytest.raises(DataError, match=r"4 questions .* file \(b, c, d and others\), 1 question .* baseline \(y\); .*--out"):
        pair_questions(here, asked("One?", "Six?", ids="xy"))
    with pytest.raises(DataError, match=r": 1 question is only in the baseline \(c\); name"):
        pair_questions(here[:2], asked("One?", "Two?", "Three?"))


def test_rows_that_could_not_be_read_may_be_missing() -> None:
    here, there = asked("One?", "Two?"), asked("One?", "Two?", "Three?")
    found = pair_questions(here, there, lost=1)
    assert (found.current.tolist(), found.baseline.tolist(), found.questions) == ([0, 1], [0, 1, -1], 2)
    assert found.notes == ("1 question of the baseline cannot be compared: rows here could not be read.",)
    with pytest.raises(DataError):
        pair_questions(here, [*there, *asked("Four?", ids="z")], lost=1)


def test_cases_without_a_question_are_paired_by_their_ids() -> None:
    bare = [replace(c, query="") for c in asked("x", "y")]
    assert pair_questions(bare, list(reversed(bare))).baseline.tolist() == [1, 0]
    with pytest.raises(DataError):
        pair_questions(bare, [replace(c, id=f"new-{c.id}") for c in bare])
