"""Whether an ensemble earns its place: judged on queries that it was not fitted on, beside its best member."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from groundscope.errors import DataError
from groundscope.statistics.chance import paired_auroc
from groundscope.training.ensemble_features import Table
from groundscope.training.ensembles import fit
from groundscope.training.nested import EnsembleProof, as_json, in_words, prove

METHODS = ("first", "second")
NAMES = ("support by first", "support by second", "says nothing")


def _drawn(
    weights: tuple[float, float], count: int = 1_200, each: int = 10, seed: int = 0
) -> tuple[list[Table], list[np.ndarray], list[str]]:
    rng = np.random.default_rng(seed)
    values = rng.random((count, 3))
    labels = rng.random(count) < 1 / (1 + np.exp(-(values[:, :2] - 0.5) @ np.array(weights)))
    starts = range(0, count, each)
    tables = [Table(NAMES, values[i : i + each], tuple(range(each))) for i in starts]
    return tables, [labels[i : i + each] for i in starts], [f"query {i // (2 * each)}" for i in starts]


@pytest.fixture(scope="module")
def both() -> EnsembleProof:
    """Two methods that each know one half."""
    return prove(*_drawn((4.0, 4.0)), METHODS)


def test_an_ensemble_of_methods_that_know_different_things_is_better_than_each(both: EnsembleProof) -> None:
    assert both.earned
    assert both.paired.difference > 0.03
    assert (both.sentences, both.queries) == (1_200, 60)


def test_an_ensemble_over_one_method_that_knows_all_is_not_shown_to_be_better() -> None:
    found = prove(*_drawn((4.0, 0.0)), METHODS)
    assert not found.earned
    assert found.member == "first"
    assert abs(found.paired.difference) < 0.02


def test_every_sentence_is_judged_by_an_ensemble_that_did_not_see_its_query(both: EnsembleProof) -> None:
    from sklearn.model_selection import GroupKFold

    tables, labels, groups = _drawn((4.0, 4.0))
    supports = np.zeros(1_200)
    for seen, held in GroupKFold(5).split(groups, groups=groups):
        assert not {groups[i] for i in seen} & {groups[i] for i in held}
        made = fit([tables[i] for i in seen], [labels[i] for i in seen], [groups[i] for i in seen], METHODS)
        for i in held:
            supports[10 * i : 10 * i + 10] = made.supports(tables[i].values)
    assert both.ensemble.auroc == pytest.approx(roc_auc_score(np.concatenate(labels), supports))


def test_the_best_member_is_the_one_with_the_highest_area_on_the_same_sentences(both: EnsembleProof) -> None:
    tables, labels, _ = _drawn((4.0, 4.0))
    values, gold = np.concatenate([t.values for t in tables]), np.concatenate(labels)
    areas = [roc_auc_score(gold, values[:, k]) for k in range(2)]
    assert both.member == METHODS[int(np.argmax(areas))]
    assert both.of_member.auroc == pytest.approx(max(areas))
    assert both.paired.difference == pytest.approx(both.ensemble.auroc - max(areas))


def test_one_query_or_too_few_sentences_are_refused() -> None:
    tables, labels, _ = _drawn((4.0, 4.0))
    with pytest.raises(DataError, match="two queries or more"):
        prove(tables, labels, ["one"] * len(tables), METHODS)
    with pytest.raises(DataError, match="label more"):
        prove(tables[:2], labels[:2], ["a", "b"], METHODS)


def test_words_and_json_state_both_and_the_verdict(both: EnsembleProof) -> None:
    assert in_words(as_json(both)).endswith("It is shown to be better than that and than chance.")
    assert "By nested cross-validation over 60 queries (1,200 sentences)" in in_words(as_json(both))
    assert as_json(both)["earned"] is True
    assert as_json("Label more.") == {"earned": False, "why": "Label more."}
    assert in_words(as_json("Label more.")).endswith("does not open the heatmap. Label more.")


def test_the_paired_interval_is_that_of_differences_on_the_same_resamples() -> None:
    rng = np.random.default_rng(1)
    gold, groups = rng.integers(0, 2, 300), rng.integers(0, 30, 300)
    one = np.clip(np.round(rng.random(300) + 0.3 * gold, 1), 0, 1)
    other = np.where(rng.random(300) < 0.05, np.nan, np.clip(np.round(rng.random(300) + 0.2 * gold, 1), 0, 1))
    found = paired_auroc(gold, one, other, groups, count=200)
    there = ~np.isnan(other)
    assert found.rows == there.sum()
    assert found.first == pytest.approx(roc_auc_score(gold[there], one[there]))
    assert found.second == pytest.approx(roc_auc_score(gold[there], other[there]))
    same = paired_auroc(gold, one, one, groups, count=200)
    assert (same.difference, same.interval.low, same.interval.high) == (0.0, 0.0, 0.0)
    assert not same.first_is_better
    # Paired, the interval is narrower than that of two methods apart.
    assert found.interval.high - found.interval.low < 0.35
