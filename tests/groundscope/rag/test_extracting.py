"""Answers copied from passages: which sentences, from where, and that every one of them stands there word for word."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundscope.errors import Cancelled, ModelUnavailable, ScorerUnavailable
from groundscope.files.fields import clean
from groundscope.methods import Method, registry
from groundscope.rag.extracting import BySimilarity, BySupport
from groundscope.rag.types import Written
from groundscope.runtime.progress import listening
from groundscope.text.embedding import Hear
from groundscope.text.sentences import Unit, split
from groundscope.types import Case, Judgement, Matrix, Passage, Status
from tests.loops import each

OVERLAP: Method = registry.load("overlap")
QUESTION = "Which court dismissed the appeal?"
PASSAGES = (
    Passage("a", "Costs went to the tenant. The high court dismissed the appeal.", "Costs"),
    Passage("b", "The weather was fine. The court sat in May. An appeal that the court dismissed ends there."),
)


class Words:
    """Embeds a text as its words, each in one of many places: a cosine is a share of common words."""

    signature = "words"

    def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
        made = np.zeros((len(texts), 4096), np.float32)
        for row, text in zip(made, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                row[crc32(word.encode()) % 4096] += 1
        hear(len(texts), len(texts))
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)

    questions = passages


@dataclass(frozen=True)
class Changed(Method):
    """Overlap with something else in its judgement."""

    changes: dict[str, object]
    signature: str = "changed"

    def score(self, case: Case) -> Judgement:
        return replace(OVERLAP.score(case), **self.changes)  # type: ignore[arg-type]


def texts(extracts: list[Unit], passages: Sequence[Passage] = PASSAGES) -> list[str]:
    return [passages[e.passage].text[e.start : e.end] for e in extracts]


def both(sentences: int = 3) -> tuple[BySimilarity, BySupport]:
    return BySimilarity(Words(), sentences), BySupport(OVERLAP, sentences)


def test_the_nearest_sentences_are_copied_in_reading_order() -> None:
    # Of the question's 5 words: 4 of 6 in the first, 4 of 8 in the last, 2 of 5 in the one on May.
    generator = BySimilarity(Words(), 2)
    extracts = generator.extracts(QUESTION, PASSAGES)[0]
    assert texts(extracts) == ["The high court dismissed the appeal.", "An appeal that the court dismissed ends there."]
    # "the" stands twice in the first.
    assert generator.passage_scores(QUESTION, PASSAGES) == pytest.approx([5 / (5 * 8) ** 0.5, 4 / (5 * 8) ** 0.5])
    assert generator.answer(QUESTION, PASSAGES) == Written(
        "- The high court dismissed the appeal.\n- An appeal that the court dismissed ends there.",
        "Copied, in this order, from passages 1 and 2.",
    )
    one = BySimilarity(Words(), 1).answer(QUESTION, PASSAGES)
    assert one == Written("The high court dismissed the appeal.", "Copied from passage 1.")


def test_the_best_supports_are_copied_in_reading_order() -> None:
    # Bigrams of the question: (court dismissed) (dismissed appeal). One sentence holds both, the last the first of them.
    extracts = BySupport(OVERLAP, 3).extracts(QUESTION, PASSAGES)[0]
    assert texts(extracts) == [
        "Costs went to the tenant.",
        "The high court dismissed the appeal.",
        "An appeal that the court dismissed ends there.",
    ]
    assert BySupport(OVERLAP).passage_scores(QUESTION, PASSAGES) == [1.0, 0.5]
    assert BySupport(OVERLAP, 1).answer(QUESTION, PASSAGES).text == "The high court dismissed the appeal."


def test_a_question_of_several_sentences_is_served_by_the_best_for_any_of_them() -> None:
    question = "The tenant paid rent. Which high court was it?"
    passages = (Passage("a", "It rained. A tenant paid rent. It snowed. That high court sat."),)
    assert texts(BySupport(OVERLAP, 2).extracts(question, passages)[0], passages) == [
        "A tenant paid rent.",
        "That high court sat.",
    ]


def test_a_heading_of_the_question_asks_nothing() -> None:
    passages = (Passage("a", "A weather report came. That high court sat."),)
    question = "# Weather report\n\nWhich high court dismissed it?"
    assert texts(BySupport(OVERLAP, 1).extracts(question, passages)[0], passages) == ["That high court sat."]


def test_a_method_without_a_matrix_is_read_by_its_matches() -> None:
    # It names no match for the sentences without support, so they are not there to choose from.
    only = BySupport(Changed({"matrix": None}), 3).extracts(QUESTION, PASSAGES)[0]
    assert len(only) == 2
    assert only == BySupport(OVERLAP, 2).extracts(QUESTION, PASSAGES)[0]


def test_pairs_that_a_method_did_not_read_are_never_copied() -> None:
    matrix = np.array([[np.nan, np.nan, 0.2, np.nan, 0.4]], np.float32)
    extracts = BySupport(Changed({"matrix": matrix}), 3).extracts(QUESTION, PASSAGES)[0]
    assert texts(extracts) == ["The weather was fine.", "An appeal that the court dismissed ends there."]
    nothing = BySupport(Changed({"matrix": np.full((1, 5), np.nan, np.float32)}), 3).answer(QUESTION, PASSAGES)
    assert nothing == Written("", "No sentence of the passages could be copied.")


def test_what_stands_in_several_passages_is_copied_once_from_the_first() -> None:
    passages = (PASSAGES[0], Passage("c", "It was in 1999. The  HIGH court dismissed\nthe appeal."))
    for generator in both(2):
        extracts = generator.extracts(QUESTION, passages)[0]
        assert [e.passage for e in extracts if "dismissed" in texts([e], passages)[0]] == [0]
        assert len(extracts) == 2


def test_headings_are_copied_only_where_there_is_nothing_else() -> None:
    text = "# Which court dismissed the appeal\n\nThe court of Rome did.\n"
    for generator in both(5):
        assert generator.answer(QUESTION, (Passage("p", text),)).text == "The court of Rome did."
        alone = generator.answer(QUESTION, (Passage("p", "# Which court dismissed the appeal\n\n# The appeal court\n"),))
        assert alone.text == "- Which court dismissed the appeal\n- The appeal court"


@each("passages", [(), (Passage("p", ""),), (Passage("p", " \n--- ...\x00"), Passage("q", "\u202e"))])
def test_without_words_in_a_passage_or_a_question_there_is_no_answer(passages: tuple[Passage, ...]) -> None:
    for generator in both():
        assert generator.answer(QUESTION, passages) == Written("", "No sentence of the passages could be copied.")
        assert generator.answer(" \n", PASSAGES).text == ""


PIECES = [
    *("The court sat.", "an appeal", "Costs: 5,000 euros", "Yes. ", "e.g. ", "29 U.S.C. § 1109(a). ", "§ 5", "حكم."),
    *(" ", "\n", "\n\n", "- ", "(a) ", "1. ", "# ", "**B**", "?", "…"),
    *("\x00", "\ud800", "<b>x</b>", "\u202e", "\u2028", "\r\n"),
]
TEXT = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(st.lists(TEXT, max_size=4), st.integers(1, 6))
@example(["(a) the tenant pays\n(b) the landlord waits"], 2)
@example(["\n\nan appeal\n\nThe court sat."], 2)
def test_every_sentence_of_an_answer_stands_in_a_passage_and_none_runs_into_the_next(raw: list[str], count: int) -> None:
    passages = tuple(Passage(f"p{i}", text) for i, text in enumerate(raw))
    for generator in both(count):
        extracts, found = generator.extracts(QUESTION, passages)[0], generator.answer(QUESTION, passages)
        copied = [clean(text) for text in texts(extracts, passages)]
        assert len(extracts) <= count
        assert extracts == sorted(extracts)
        assert found.text == ("\n".join(f"- {c}" for c in copied) if len(copied) > 1 else "".join(copied))
        found.text.encode()
        sentences = [found.text[s.start : s.end] for s in split(found.text)]
        # A sentence by itself may be cut once more, never joined.
        assert all(any(s in c for c in copied) for s in sentences)
        assert len(sentences) >= len(copied)


def test_a_long_text_is_read() -> None:
    passages = (Passage("p", "word " * 20_000 + "ends.\n\nThe court dismissed the appeal."),)
    for generator in both(1):
        assert generator.answer(QUESTION, passages).text.endswith("The court dismissed the appeal.")


def test_what_cannot_run_is_reported_apart_from_what_finds_nothing() -> None:
    class Away(Words):
        def passages(self, texts: Sequence[str], hear: Hear) -> Matrix:
            raise ScorerUnavailable("Get the weights.")

    with pytest.raises(ModelUnavailable, match="Get the weights"):
        BySimilarity(Away()).answer(QUESTION, PASSAGES)
    failed = {"status": Status.FAILED, "support": None, "note": "Get the weights."}
    with pytest.raises(ModelUnavailable, match="Get the weights"):
        BySupport(Changed(failed)).answer(QUESTION, PASSAGES)
    abstained = BySupport(Changed({"status": Status.ABSTAINED, "support": None, "note": "It is not sure."}))
    assert abstained.answer(QUESTION, PASSAGES) == Written("", "The method could not rank the sentences: It is not sure.")
    assert abstained.extracts(QUESTION, PASSAGES)[0] == []


def test_the_user_can_stop_while_texts_are_embedded() -> None:
    def leave(done: int, total: int) -> None:
        raise Cancelled

    with listening(leave), pytest.raises(Cancelled):
        BySimilarity(Words()).answer(QUESTION, PASSAGES)


def test_signatures_name_what_ranks_and_how_many() -> None:
    assert BySimilarity(Words(), 4).signature == "extract_by_similarity|words|sentences=4"
    assert BySupport(OVERLAP).signature == f"extract_by_support|{OVERLAP.signature}|sentences=3"
