"""Pasted texts: passages by dashes, by lines that name a source, and by box."""

import pytest

from groundscope.cases.pasted import from_paste, plain_passages
from groundscope.errors import DataError
from groundscope.types import Passage


def test_pasted_text_becomes_a_case_with_passages() -> None:
    case = from_paste(" q ", "Source: A\nOne.\n---\nTwo.", "R.", "paste-1")
    assert case.context == (Passage("p1", "One.", "A"), Passage("p2", "Two."))
    assert (case.id, case.query, case.response) == ("paste-1", "q", "R.")
    # A line that names a source begins it, without dashes too, and each box stays apart.
    assert plain_passages("Before.\nsource: A\nOne.\nSource: B\nTwo.\n") == (
        Passage("p1", "Before."),
        Passage("p2", "One.", "A"),
        Passage("p3", "Two.", "B"),
    )
    # One that nothing follows is the text's own: no word is lost.
    assert plain_passages("Source: A\nOne.\nSource: Rule 1\n\n---\nTwo.") == (
        Passage("p1", "One.\nSource: Rule 1", "A"),
        Passage("p2", "Two."),
    )
    boxes = [("Act", "One.\n---\nTwo."), (" ", "Three."), ("Rule 2", ""), ("Code", "Source: Own\nFour.")]
    found = from_paste("q", boxes, "R.", "p").context
    assert [(p.id, p.text, p.source) for p in found] == [
        ("p1", "One.", "Act"),
        ("p2", "Two.", "Act"),
        ("p3", "Three.", ""),
        ("p4", "Four.", "Own"),
    ]


@pytest.mark.parametrize(
    ("pasted", "response", "missing"), [("", "r", "sources"), ("c", " ", "response"), ("---", "", "response and the sources")]
)
def test_a_paste_without_text_says_what_is_missing(pasted: str, response: str, missing: str) -> None:
    with pytest.raises(DataError, match=f"Paste the {missing} too"):
        from_paste("q", pasted, response, "p")
