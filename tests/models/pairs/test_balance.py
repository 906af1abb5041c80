"""Neither a statement nor an evidence alone tells the label: each stands as often under either."""

import os
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.training.data import digest
from groundscope.training.pairs import Pair
from models.contrast_pairs import contrast_pairs
from tests.models.pairs.documents import DOCUMENTS, ROOT, by_label, squares


def _balanced(pairs: list[Pair]) -> None:
    for texts in ([(p.sentence, p.label) for p in pairs], [(p.evidence, p.label) for p in pairs]):
        assert all(yes == no for yes, no in by_label(texts).values())


@given(DOCUMENTS, st.integers(0, 3))
def test_every_text_stands_as_often_under_either_label(documents: list[list[str]], seed: int) -> None:
    pairs = contrast_pairs(documents, seed=seed)
    _balanced(pairs)
    for one, two, three, four in squares(pairs):
        assert [p.label for p in (one, two, three, four)] == [1.0, 1.0, 0.0, 0.0]
        assert (three.evidence, three.sentence) == (one.evidence, two.sentence)
        assert (four.evidence, four.sentence) == (two.evidence, one.sentence)
        assert one.evidence != two.evidence
        # Else the same pair would be called supported and not supported.
        assert one.sentence != two.sentence
        assert len({p.group for p in (one, two, three, four)}) == 1
        assert {p.made_by for p in (one, two, three, four)} == {"contrast"}
        assert int(one.group.removeprefix("text-")) < len(documents)


def test_most_unsupported_statements_tell_which_words_are_wrong(made: list[Pair]) -> None:
    assert not any(p.wrong for p in made if p.label > 0.5)
    told = [p for p in made if p.wrong]
    assert len(told) > 0.35 * len(made)
    for one, two, three, four in squares(made):
        for pair, other in ((three, one), (four, two)):
            if pair.wrong:
                words = pair.sentence[slice(*pair.wrong)]
                assert words.strip()
                assert pair.sentence.count(words) >= 1
                assert words not in other.sentence or len(words) < len(other.sentence)


@given(DOCUMENTS, st.integers(0, 3))
def test_no_pair_is_called_both(documents: list[list[str]], seed: int) -> None:
    labels: dict[tuple[str, str], set[float]] = {}
    for pair in contrast_pairs(documents, seed=seed):
        labels.setdefault((pair.evidence, pair.sentence), set()).add(pair.label)
    assert all(len(found) == 1 for found in labels.values())


@given(DOCUMENTS, st.integers(0, 3), st.integers(0, 40))
def test_fewer_pairs_are_the_first_whole_fours(documents: list[list[str]], seed: int, most: int) -> None:
    everything = contrast_pairs(documents, seed=seed)
    some = contrast_pairs(documents, seed=seed, most=most)
    assert some == everything[: len(some)]
    assert len(some) <= most
    assert len(some) > most - 8 or some == everything
    _balanced(some)


def test_the_samples_are_balanced_and_plenty(made: list[Pair], texts: list[list[str]]) -> None:
    _balanced(made)
    assert len(made) > 3 * sum(map(len, texts))
    labels: dict[tuple[str, str], set[float]] = {}
    for pair in made:
        labels.setdefault((pair.evidence, pair.sentence), set()).add(pair.label)
    assert all(len(found) == 1 for found in labels.values())


def test_a_part_of_the_sentences_is_set_against_its_neighbours_alone(made: list[Pair]) -> None:
    fours = squares(made)
    alone = [(a, b) for a, b in pairwise(fours) if a[0].sentence == b[0].sentence]
    assert 0.05 < len(alone) / len(fours) < 0.25
    for (edited, *_), (own, others, *_) in alone:
        # Together they are the evidence that the sentence was edited in.
        assert own.evidence in edited.evidence
        assert others.evidence not in own.evidence
        assert sorted(" ".join([own.evidence, others.evidence]).split()) == sorted(edited.evidence.split())


def _auroc(texts: list[str], labels: list[float], groups: list[str]) -> float:
    """Of words and pairs of words alone, no text on both sides of a fold."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict
    from sklearn.naive_bayes import BernoulliNB
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(CountVectorizer(binary=True, ngram_range=(1, 2), min_df=2), BernoulliNB())
    gold = np.array(labels) > 0.5
    said = cross_val_predict(model, texts, gold, groups=groups, cv=GroupKFold(5), method="predict_log_proba")[:, 1]
    return float(roc_auc_score(gold, said))


@pytest.mark.parametrize("side", ["sentence", "evidence"])
def test_words_of_one_side_alone_hardly_tell_the_label(side: str, made: list[Pair]) -> None:
    texts, labels, groups = ([getattr(p, name) for p in made] for name in (side, "label", "group"))
    assert 0.45 < _auroc(texts, labels, groups) < 0.55


def test_the_same_words_would_tell_edited_from_unedited_statements(made: list[Pair]) -> None:
    # What the test above would find if only the edited ones were unsupported.
    half = [p for one, _, three, _ in squares(made) for p in (one, three)]
    assert _auroc([p.sentence for p in half], [p.label for p in half], [p.group for p in half]) > 0.57


def _digest_elsewhere() -> str:
    """Of the same pairs as another process makes them, where sets have another order."""
    code = (
        "from models.contrast_pairs import contrast_pairs; from groundscope.training.data import digest; "
        "from tests.models.pairs.documents import training_texts; "
        "print(digest(contrast_pairs(training_texts(), seed=1, most=800)))"
    )
    given = {"env": {**os.environ, "PYTHONHASHSEED": "7"}, "cwd": ROOT, "capture_output": True, "text": True, "check": True}
    return subprocess.run([sys.executable, "-c", code], **given).stdout.strip()  # type: ignore[call-overload, no-any-return]


def test_the_same_seed_makes_the_same_pairs(made: list[Pair], texts: list[list[str]]) -> None:
    assert contrast_pairs(texts, seed=0, most=800) == made[: len(contrast_pairs(texts, seed=0, most=800))]
    other = contrast_pairs(texts, seed=1, most=800)
    assert digest(other) == _digest_elsewhere()
    assert other == contrast_pairs(texts, seed=1, most=800)
    assert other != contrast_pairs(texts, seed=0, most=800)


def test_nothing_makes_no_pairs() -> None:
    for documents in ([], [[]], [[""], [" ", "\n"]], [["Too short."]], [["x" * 39], ["must " * 60]]):
        assert contrast_pairs(documents) == []
