"""`assert_grounded`: what it finds, how it shows it, what it refuses."""

from typing import Any

import pytest

from groundscope.errors import DataError, ScorerUnavailable
from groundscope.gate import assert_grounded
from groundscope.types import Passage
from tests.groundscope.gate.answers import CITED, LEASE, NOT_THERE, RULING, SOUND, WRONG_FIGURE

SOURCES = [LEASE, RULING]


def words(*given: Any, **more: Any) -> str:
    with pytest.raises(AssertionError) as error:
        assert_grounded(*given, **more)
    return str(error.value)


def test_an_answer_that_stands_on_its_sources_passes() -> None:
    assert_grounded(f"{SOUND} {CITED}", SOURCES, ["figures", "names", "quotes", "sources", "citations"])
    assert_grounded("", SOURCES)


def test_a_failure_shows_each_sentence_the_nearest_passage_and_what_differs() -> None:
    assert words(f"{SOUND} {WRONG_FIGURE} {NOT_THERE}", SOURCES) == "\n".join(
        [
            "The answer does not stand on its sources: 2 of 3 sentences.",
            "",
            "Sentence 2: The rent is $950 a month.",
            "  figures: “$950” is not in the sources",
            "  nearest, Lease, sentence 2: The rent is $900 a month.",
            "  Money: “$950” here, “$900” there",
            "",
            "Sentence 3: See Roe v. Poe, 99 F.2d 11 (2d Cir. 1950).",
            "  citations: “Roe v. Poe, 99 F.2d 11 (2d Cir. 1950)” is not in the sources",
            "  nearest, Ruling, sentence 1: The court upheld the notice in Smith v. Jones, 12 F.3d 34 (9th Cir. 1993).",
            "  Numbers: “2d”, “1950” here, “9th”, “1993” there",
            "  Citations: “99 F.2d 11” here, “12 F.3d 34” there",
            "  Names: “Roe v. Poe” here, “Smith v. Jones” there",
        ]
    )


@pytest.mark.parametrize(
    "sources",
    [
        "The rent is $900 a month.",
        ["The rent is $900 a month."],
        [{"text": "The rent is $900 a month.", "source": "Lease"}],
        ({"page_content": text} for text in ["The rent is $900 a month."]),
        [Passage("x", "The rent is $900 a month."), "Another one."],
    ],
)
def test_sources_come_in_many_forms(sources: Any) -> None:
    assert "figures: “$950” is not in the sources" in words(WRONG_FIGURE, sources)


def test_only_the_named_checks_are_made() -> None:
    assert_grounded(f"{WRONG_FIGURE} Mr. Miller paid.", SOURCES, ["citations"])
    assert "names: “Miller”" in words(f"{WRONG_FIGURE} Mr. Miller paid.", SOURCES, ["names"])


def test_a_method_must_call_every_sentence_supported() -> None:
    assert_grounded(SOUND, SOURCES, [], method="quip")
    said = words(f"{SOUND} Bananas are yellow fruit from the tropics.", SOURCES, [], "quip")
    assert "1 of 2 sentences" in said
    assert "Sentence 2: Bananas are yellow fruit from the tropics.\n  quip: support 0.00, needed " in said
    assert_grounded(f"{SOUND} Bananas are yellow fruit from the tropics.", SOURCES, [], "quip", 0.0)


def test_what_a_method_cannot_assess_fails() -> None:
    assert "The whole answer\n  quip: QUIP gave no support: The response is empty" in words("", SOURCES, [], "quip")


def test_a_method_that_cannot_run_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GROUNDSCOPE_MODEL", raising=False)
    with pytest.raises(ScorerUnavailable, match="Direct prompting: Choose a model"):
        assert_grounded(SOUND, SOURCES, [], "direct")


@pytest.mark.parametrize(
    ("more", "kind", "why"),
    [
        ({"checks": "figures"}, ValueError, r"write \['figures'\]"),
        ({"checks": []}, ValueError, "there is nothing to check by"),
        ({"at_least": 0.5}, ValueError, "at_least .* goes with a method"),
        ({"method": "quip", "at_least": float("nan")}, ValueError, "at_least is a support from 0 to 1"),
        ({"sources": []}, DataError, "There are no sources"),
        ({"sources": [3]}, DataError, "The sources must be a text, or a list of texts"),
        ({"answer": None}, DataError, "The answer and the question must be text, got NoneType and str"),
    ],
)
def test_what_means_nothing_is_refused(more: dict[str, Any], kind: type[Exception], why: str) -> None:
    with pytest.raises(kind, match=why):
        assert_grounded(**{"answer": SOUND, "sources": SOURCES, **more})


def test_hostile_text_is_shown_as_it_is() -> None:
    hostile = "{0} %s <b>\x00 costs $950."
    assert "“$950”" in words(hostile, ["It costs $900."])
