"""Easy pairs: the supported ones, and their sentences against another text's evidence."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from groundscope.training.pairs import Pair
from models.contrast_pairs import contrast_pairs, easy_pairs
from tests.models.pairs.documents import DOCUMENTS


@given(DOCUMENTS, st.integers(0, 3))
def test_each_supported_pair_stays_and_gets_another_texts_evidence_at_most_once(documents: list[list[str]], seed: int) -> None:
    pairs = contrast_pairs(documents)
    easy = easy_pairs(pairs, seed=seed)
    assert [p for p in easy if p.label == 1.0] == [p for p in pairs if p.label == 1.0]
    groups = {p.evidence: {q.group for q in pairs if q.evidence == p.evidence} for p in pairs}
    for before, pair in zip([None, *easy], easy, strict=False):
        if pair.label == 1.0:
            continue
        assert before is not None
        assert before.label == 1.0
        assert pair == before._replace(evidence=pair.evidence, label=0.0)
        assert groups[pair.evidence] - {pair.group}


def test_with_many_texts_nearly_half_are_unsupported(made: list[Pair]) -> None:
    easy = easy_pairs(made)
    labels = Counter(p.label for p in easy)
    assert labels[1.0] == len(made) / 2
    assert 0.97 < labels[0.0] / labels[1.0] <= 1.0
    assert easy_pairs(made) == easy
    assert easy_pairs(made, seed=1) != easy
    # Another text is hardly ever about the same: this is what makes them easy.
    words = [(set(p.evidence.split()), set(p.sentence.split()), p.label) for p in easy]
    shared = [(len(a & b) / len(b), label) for a, b, label in words]
    yes, no = ([share for share, label in shared if label == wanted] for wanted in (1.0, 0.0))
    assert sum(yes) / len(yes) > 2 * sum(no) / len(no)


def test_one_text_alone_has_no_others_evidence() -> None:
    pairs = contrast_pairs([["The landlord must pay 600 euros to Okafor within 14 days."]])
    assert easy_pairs(pairs) == [p for p in pairs if p.label == 1.0]
    assert easy_pairs([]) == []
    assert easy_pairs([p for p in pairs if p.label == 0.0]) == []
