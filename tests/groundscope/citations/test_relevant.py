"""What is left out of the reading of sources changes nothing."""

from itertools import pairwise

import pytest

from groundscope.citations._index import Relevance
from groundscope.citations.reader._forms import PATTERNS, patterns_for
from groundscope.citations.states import Layer, layer
from groundscope.types import Case, Passage
from tests.groundscope.citations.test_reading import FORMS

TEXTS = [text for text, *_ in FORMS]
PAIRS = (
    ("See Rule 11.", "Federal Rules of Civil Procedure 12 and FRCP 11 apply."),
    ("Under 11 U.S.C. § 362 it is stayed.", "The Bankruptcy Code § 363 says so."),
    ("Under § 1333 it is so.", "See 28 U.S.C. §§ 1331-1335."),
    ("Under 42 U.S.C. § 2000e-5 it is so.", "See 42 U.S.C. § 2000e et seq."),
    ("Art. 3 of the Constitution", "Article III of the Constitution"),
    ("GDPR art. 6", "Regulation (EU) 2016/679, art. 7"),
    ("Under Tellabs, it is so.", "See Tellabs, Inc. v. Makor Issues & Rights, Ltd., 551 U.S. 308 (2007)."),
    ("Doe v. Roe, 1 U.S. 5 (1990)", "Doe v. Roe, 2 F.3d 7 (1991). Id. at 9."),
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_pattern_that_matches_has_its_anchor(text: str) -> None:
    matching = [p for p in PATTERNS if p.regex.search(text)]
    assert [p for p in patterns_for(text) if p in matching] == matching


def _checked(response: str, source: str) -> Layer:
    passages = (Passage("p1", "Nothing is cited.", source), Passage("p2", source))
    whole: Layer = layer.__wrapped__(Case("c", "", passages, response))  # type: ignore[attr-defined]
    return whole


def test_texts_that_concern_no_citation_change_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [*PAIRS, *((text, text) for text in TEXTS)]
    pairs += [pair for both in pairwise(TEXTS) for pair in (both, both[::-1])]
    some = [_checked(*pair) for pair in pairs]
    monkeypatch.setattr(Relevance, "concerns", lambda _self, _text: True)
    for pair, result in zip(pairs, some, strict=True):
        assert result == _checked(*pair), pair
