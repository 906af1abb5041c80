"""What carries a sentence in words and bars, by methods whose supports are counted by hand."""

from dataclasses import replace

import pytest

from components.heatmap.carrying import words
from groundscope.grounding.sensitivity.carriers import Carried, carriers
from groundscope.types import Case, Judgement, Passage, Status
from tests.groundscope.grounding.sensitivity.counted import RENT, Certain, SharedWords

HOSTILE = "<img src=x onerror=alert(1)>"


def lead(found: Carried, case: Case = RENT) -> str:
    return " ".join(words.lead(case, *found))


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        (
            0.9,
            "It falls below the threshold when any one of sources 1 and 2 is left out. 2 context sentences together are enough "
            "to keep it above the threshold. Every smaller set was tried.",
        ),
        (
            0.6,
            "It falls below the threshold when source 1 is left out. One context sentence is enough to keep it above the "
            "threshold.",
        ),
        (
            0.5,
            "It falls below the threshold when sources 1 and 2 are both left out, and stays above when either of them is kept. "
            "One context sentence is enough to keep it above the threshold.",
        ),
        (None, "No threshold is set for this method, so there is no verdict to keep."),
    ],
)
def test_what_carries_it_is_said_in_sentences(threshold: float | None, said: str) -> None:
    assert lead(carriers(SharedWords(), RENT, 0, threshold)) == said


def test_a_search_that_ended_early_names_no_group_as_the_smallest() -> None:
    case = replace(RENT, context=tuple(replace(RENT.context[0], id=str(i)) for i in range(60)))
    found = carriers(SharedWords(), case, 0, 0.6)
    assert found.sentence.falls
    assert len(found.sentence.falls.members) == 60
    assert "It falls below the threshold when a group of 60 sources is left out; the search for a smaller one" in lead(
        found, case
    )


def test_a_flagged_sentence_names_the_source_without_which_it_would_pass() -> None:
    class Distracted(SharedWords):
        def support(self, sentence: str, known: set[str]) -> float:
            return 0.1 if "dogs" in known else super().support(sentence, known)

    found = carriers(Distracted(), RENT, 0, 0.9)
    assert lead(found) == "It is below the threshold with all sources. It would be above without source 3."
    assert "Without any one source it stays there." in lead(carriers(SharedWords(), RENT, 1, 0.9))


def test_a_method_that_is_certain_of_everything_stands_on_nothing() -> None:
    found = carriers(Certain(), RENT, 0, 0.5)
    assert lead(found) == (
        "Its support does not come from these sources: with an unrelated text in place of all sources it gets 1.00, above the "
        "threshold, and each source alone is enough, too."
    )
    assert words.of_all(found.found, 0.5) == [
        "Not used: sources 1, 2 and 3. Leaving them out together does not change any sentence's support by more than 0.01.",
        "Standing on nothing in these sources: sentences 1 and 2.",
    ]


def test_each_bar_is_as_long_as_its_support_and_says_it() -> None:
    html = words.bars(RENT, *carriers(SharedWords(), RENT, 0, 0.6))
    lines = html.split("<tr>")[2:]
    assert ["Cats" in line for line in lines] == [False] * len(lines), "a sentence that changes nothing has no line"
    assert "style='width:100.0%'" in lines[0]
    assert "<span class='turned' style='width:50.0%'></span><i style='left:60.0%'></i>" in lines[1]
    assert "<b>0.50, below the threshold</b>" in lines[1]
    assert lines[1].endswith("<td>0.75</td></tr>")
    assert "a.1 <q dir='auto'>Tenants pay rent.</q>" in lines[2]
    assert "0.75, above the threshold" in lines[3]
    assert "0.00, below the threshold" in lines[-1]


def test_two_sources_that_say_the_same_are_called_replaceable() -> None:
    case = replace(RENT, context=(*RENT.context, Passage("d", RENT.context[1].text)))
    said = words.of_all(carriers(SharedWords(), case, 0, 0.6).found, 0.6)
    assert said[0].startswith("Not used: sources 3 and 4.")
    assert said[1].startswith("Replaceable: source 2.")


def test_texts_of_others_are_escaped_and_long_ones_cut() -> None:
    case = replace(RENT, context=(Passage("a", f"Tenants pay rent {HOSTILE} monthly {'and more ' * 60}.", HOSTILE),))
    found = carriers(SharedWords(), case, 0, 0.6)
    html = words.bars(case, *found) + "".join(words.kept(case, found.sentence))
    assert HOSTILE not in html
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") == 3
    assert "…</q>" in html
    assert "and more " * 40 not in html


def test_a_state_is_no_figure() -> None:
    refused = Judgement(Status.INVALID, note="The reply could not be read.")
    method = SharedWords(does=lambda c: refused if len(c.context) == 2 and c.context[0].id == "b" else None)
    html = words.bars(RENT, *carriers(method, RENT, 0, 0.6))
    assert "style='width:0.0%'></span><i style='left:60.0%'></i></div></td><td>The reply could not be read.</td>" in html
    nothing = carriers(SharedWords(), replace(RENT, context=()), 0, 0.6)
    assert lead(nothing) == "Nothing to assess."
