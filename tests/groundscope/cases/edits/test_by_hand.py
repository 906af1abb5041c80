"""A sentence typed over: what changes, what labels still point at, undo, and the variant that is kept."""

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundscope.cases.dataset import read, to_jsonl
from groundscope.cases.edits.by_hand import (
    LONGEST,
    EditHistory,
    TextPlace,
    edited,
    labelled_variant,
    response_place,
    source_place,
    text_at,
    variant_id,
)
from groundscope.errors import DataError
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage

ANSWER = "The tenant may appeal. The notice is due in 30 days. The court may extend it."
SOURCE = "A tenant may appeal. Notice is due within 30 days. No court may extend it."
WORDS = st.text(alphabet="ab1 .\r\n\u0301e😀\u200d👩شלֿ$_<", max_size=30)


def place(text: str, words: str, passage: int | None = None) -> TextPlace:
    return TextPlace(text.index(words), text.index(words) + len(words), passage)


def evidence(case_answer: str, words: str, source: str) -> EvidenceSpan:
    ours, theirs = place(case_answer, words), place(SOURCE, source)
    return EvidenceSpan(ours.start, ours.end, 0, theirs.start, theirs.end)


GROUNDED = Case(
    "c",
    "When?",
    (Passage("p1", SOURCE, "Rule 1", pages=((0, 4), (21, 5), (51, 6))),),
    ANSWER,
    grounded=True,
    evidence=(
        evidence(ANSWER, "The tenant may appeal.", "A tenant may appeal."),
        evidence(ANSWER, "The notice is due in 30 days.", "Notice is due within 30 days."),
    ),
    split="dev",
)
WRONG = replace(
    GROUNDED,
    grounded=False,
    errors=(ErrorSpan(*place(ANSWER, "30 days")[:2], ErrorType.FACTUAL_INACCURACY, "60 days"),),
    unsupported=(place(ANSWER, "may extend")[:2],),
)


def typed(case: Case, sentence: int, text: str) -> Case:
    found = response_place(case, sentence)
    assert found
    made = edited(case, found, text)
    assert made
    return made.case


@given(WORDS, WORDS, WORDS, WORDS)
@example("x", "e\u0301\r\n", "x", "e\r\n")
@example("", "👩\u200d😀 a", "", "👩\u200d a")
def test_what_lies_outside_the_smallest_edit_is_the_original_and_no_character_is_torn(
    before: str, old: str, after: str, new: str
) -> None:
    response = f"A {before} {old} {after} b"
    case = Case("c", "", (Passage("p", "Text."),), response)
    at = TextPlace(len(f"A {before} "), len(f"A {before} {old}"))
    made = edited(case, at, new)
    if made is None:
        assert new.replace("\r\n", "\n").replace("\r", "\n") == old.replace("\r\n", "\n").replace("\r", "\n")
        return
    edit, now = made.edit, made.case.response
    assert at.start <= edit.start <= edit.end <= at.end
    assert now[: edit.start] == response[: edit.start]
    assert now[edit.start : edit.start + len(edit.new)] == edit.new
    assert now[edit.start + len(edit.new) :] == response[edit.end :]
    assert now[made.place.start : made.place.end].replace("\r\n", "\n").strip() == (
        new.replace("\r\n", "\n").replace("\r", "\n").strip() if new.strip() else ""
    ), "what was typed stands where it was typed"
    for text, border in ((response, edit.end), (now, edit.start + len(edit.new)), (response, edit.start), (now, edit.start)):
        if at.start < border < len(text) and border not in (at.end, made.place.end) and not text[border - 1].isspace():
            assert not unicodedata.combining(text[border]), "a mark apart from its letter"
            assert text[border] != "\u200d"
            assert text[border - 1 : border + 1] != "\r\n"


@given(st.integers(0, 2), WORDS)
def test_labels_of_other_sentences_keep_their_words_whatever_is_typed(sentence: int, text: str) -> None:
    case = replace(
        WRONG,
        errors=tuple(
            ErrorSpan(*place(ANSWER, w)[:2], ErrorType.REASONING_ERROR) for w in ("tenant", "30 days", "The court may extend it.")
        ),
        unsupported=tuple(place(ANSWER, w)[:2] for w in ("The tenant", "notice is", "extend it")),
    )
    at = response_place(case, sentence)
    assert at
    made = edited(case, at, text)
    if made is None:
        return
    now = made.case
    others = [e for e in case.errors if not at.start <= e.start < at.end]
    assert [ANSWER[e.start : e.end] for e in others] == [
        now.response[e.start : e.end] for e in now.errors if not made.place.start <= e.start < made.place.end
    ]
    assert [case.response[a:b] for a, b in case.unsupported if not at.start <= a < at.end] == [
        now.response[a:b] for a, b in now.unsupported if not made.place.start <= a < made.place.end
    ]
    assert all(0 <= e.response_start < e.response_end <= len(now.response) for e in now.evidence)


def test_an_error_that_is_typed_over_is_no_longer_labelled_and_one_beside_it_is() -> None:
    corrected = typed(WRONG, 1, "The notice is due in 60 days.")
    assert corrected.errors == ()
    assert [corrected.response[a:b] for a, b in corrected.unsupported] == ["may extend"]
    assert corrected.grounded is False, "another span is still labelled"
    beside = typed(WRONG, 1, "The first notice is due in 30 days.")
    assert [beside.response[e.start : e.end] for e in beside.errors] == ["30 days"]


def test_an_empty_text_deletes_the_sentence_and_its_evidence() -> None:
    now = typed(GROUNDED, 1, " \n ")
    assert [now.response[s.start : s.end] for s in split(now.response)] == ["The tenant may appeal.", "The court may extend it."]
    assert len(now.evidence) == 1
    assert now.grounded is None, "an edited answer has no label until someone gives it one"
    last = typed(typed(GROUNDED, 2, ""), 1, "")
    assert last.response.strip() == "The tenant may appeal."


def test_a_source_is_edited_with_its_evidence_and_pages() -> None:
    at = source_place(GROUNDED, 1)
    assert at
    assert text_at(GROUNDED, at) == "Notice is due within 30 days."
    made = edited(GROUNDED, at, "Notice of the appeal is due within 60 days.")
    assert made
    assert made.case.response == ANSWER
    assert [text_at(made.case, TextPlace(e.start, e.end, 0)) for e in made.case.evidence] == [
        "A tenant may appeal.",
        "Notice of the appeal is due within 60 days.",
    ]
    passage = made.case.context[0]
    assert [passage.text[start : start + 2] for start, _ in passage.pages] == ["A ", "No", "No"]
    assert [passage.page(passage.text.index(w)) for w in ("A tenant", "60", "No court")] == [4, 5, 6]
    gone = edited(GROUNDED, at, "")
    assert gone
    assert len(gone.case.evidence) == 1


def test_line_breaks_of_a_text_box_are_no_edit_and_new_ones_become_those_of_the_text() -> None:
    case = replace(GROUNDED, response="It is\r\ndue. It is late.", evidence=())
    assert edited(case, TextPlace(0, 11), "It is\ndue.") is None
    made = edited(case, TextPlace(0, 11), "It was\ndue.")
    assert made
    assert made.case.response == "It was\r\ndue. It is late."


@pytest.mark.parametrize(
    ("text", "words"),
    [("x" * (LONGEST + 1), "20,001 characters; type at most 20,000"), ("", "Nothing would be left of the answer")],
)
def test_what_cannot_be_is_refused(text: str, words: str) -> None:
    alone = replace(GROUNDED, response="It is due.", evidence=())
    with pytest.raises(DataError, match=words):
        edited(alone, TextPlace(0, 10), text)
    with pytest.raises(DataError, match="Nothing would be left of the sources"):
        edited(alone, TextPlace(0, len(SOURCE), 0), "")
    assert response_place(GROUNDED, 3) is response_place(GROUNDED, -1) is source_place(GROUNDED, 3) is None, "no such sentence"


def history(case: Case, *texts: tuple[int, str]) -> EditHistory:
    found = EditHistory.of(case)
    for sentence, text in texts:
        at = response_place(found.shown.case, sentence)
        assert at
        found = found.typed(at, text, (0, 0))
    return found


def test_versions_are_undone_and_redone_and_a_new_edit_ends_what_was_undone() -> None:
    two = history(GROUNDED, (1, "The notice is due in 60 days."), (0, "The landlord may appeal."))
    assert two.undone().shown.case.response == ANSWER.replace("30", "60")
    assert two.undone().redone() == two
    assert two.reset().shown.case is GROUNDED
    assert two.reset().undone() == two.reset()
    assert not two.can_redo
    other = two.undone().typed(TextPlace(0, 22), "A tenant may appeal.", (0, 0))
    assert len(other.versions) == 3
    assert not other.can_redo
    shown = two.shown.case
    assert (shown.id, shown.parent, shown.group, shown.split) == ("c-edited", "c", "c", "dev")
    assert two.typed(TextPlace(0, len("The landlord may appeal.")), "The landlord may appeal.", (0, 0)) is two


def test_the_old_words_of_an_edit_are_found_in_the_original_through_all_edits() -> None:
    twice = history(GROUNDED, (0, "The old tenant of the house may appeal."), (1, "It is soon."), (1, "It is due now."))
    assert twice.shown.case.response[slice(*twice.shown.focus)] == "It is due now."
    assert ANSWER[slice(*twice.before())] == "The notice is due in 30 days."
    deleted = history(GROUNDED, (1, ""))
    assert deleted.shown.focus[0] == deleted.shown.focus[1]
    assert ANSWER[slice(*deleted.before())] == "The notice is due in 30 days."


def test_a_kept_variant_has_spans_type_reason_parent_and_comes_back_from_a_file() -> None:
    two = history(GROUNDED, (1, "The notice is due in 60 days."), (0, "The landlord may appeal."))
    variant = labelled_variant(two, "c-v", ErrorType.FACTUAL_INACCURACY, "The rule says 30.")
    assert [variant.response[e.start : e.end] for e in variant.errors] == ["landlord", "60"]
    assert {(e.type, e.why) for e in variant.errors} == {(ErrorType.FACTUAL_INACCURACY, "The rule says 30.")}
    assert (variant.grounded, variant.parent, variant.group, variant.split) == (False, "c", "c", "dev")
    assert read("v.jsonl", to_jsonl([variant]).encode()).cases == (variant,)


def test_a_paraphrase_is_grounded_and_a_correction_is_too() -> None:
    same = labelled_variant(history(GROUNDED, (0, "A tenant may appeal.")), "c-v", None, "Other words.")
    assert (same.grounded, same.errors, same.note) == (True, (), "Other words.")
    assert len(same.evidence) == 2
    one_error = replace(WRONG, unsupported=())
    assert labelled_variant(history(one_error, (1, "The notice is due in 60 days.")), "c-v", None).grounded is True
    assert labelled_variant(history(WRONG, (1, "The notice is due in 60 days.")), "c-v", None).grounded is False
    assert labelled_variant(history(replace(GROUNDED, grounded=None), (0, "A tenant may appeal.")), "c-v", None).grounded is None


def test_where_a_source_alone_changed_the_sentence_that_was_looked_at_is_wrong() -> None:
    at, about = source_place(GROUNDED, 1), response_place(GROUNDED, 1)
    assert at
    assert about
    found = EditHistory.of(GROUNDED).typed(at, "Notice is due within 60 days.", about[:2])
    variant = labelled_variant(found, "c-v", ErrorType.FACTUAL_INACCURACY)
    assert [variant.response[e.start : e.end] for e in variant.errors] == ["The notice is due in 30 days."]
    nowhere = EditHistory.of(GROUNDED).typed(at, "Notice is due within 60 days.", (0, 0))
    with pytest.raises(DataError, match="no error can be marked"):
        labelled_variant(nowhere, "c-v", ErrorType.FACTUAL_INACCURACY)


def test_a_name_becomes_an_id_that_no_other_case_has() -> None:
    assert variant_id(GROUNDED, " <b>Two $ months_ ", ()) == "c-b-Two-months"
    assert variant_id(GROUNDED, "שלום", {"c-edited", "c-edited-2"}) == "c-edited-3"
