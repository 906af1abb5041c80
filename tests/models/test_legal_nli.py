"""The hand-written entailment set: its form, its balance, and how little a statement alone gives its label away."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.types import ErrorType

FOLDER = Path(__file__).resolve().parents[2] / "sample_data"
FIELDS = {"id", "group", "split", "area", "genre", "kind", "evidence", "statement", "label"}
KINDS = ("paraphrase", "contrast", "reasoning")


@pytest.fixture(scope="module")
def pairs() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / "legal_nli.jsonl").read_text(encoding="utf-8").splitlines()]


def test_every_pair_has_its_fields_and_the_unsupported_ones_say_what_is_wrong(pairs: list[dict[str, Any]]) -> None:
    assert len({p["id"] for p in pairs}) == len({p["statement"] for p in pairs}) == len(pairs) >= 3_000
    for pair in pairs:
        wrong = pair["label"] != "supported"
        assert set(pair) == FIELDS | ({"type", "why"} if wrong else set())
        assert all(isinstance(v, str) and v == v.strip() != "" for v in pair.values()), pair["id"]
        assert pair["label"] in {"supported", "contradicted", "not_stated"}
        assert not wrong or pair["type"] in set(ErrorType)
        assert 25 <= len(re.findall(r"[a-z0-9]+", pair["evidence"].lower())) <= 125
        assert 6 <= len(re.findall(r"[a-z0-9]+", pair["statement"].lower())) <= 45


def test_every_text_has_a_supported_and_an_unsupported_statement_of_each_kind_in_one_split(pairs: list[dict[str, Any]]) -> None:
    groups: dict[str, list[dict[str, Any]]] = {}
    for pair in pairs:
        groups.setdefault(pair["group"], []).append(pair)
    for found in groups.values():
        assert sorted((p["kind"], p["label"] == "supported") for p in found) == sorted(
            (k, s) for k in KINDS for s in (False, True)
        )
        assert len({(p["evidence"], p["split"], p["area"], p["genre"]) for p in found}) == 1
    assert len({p["evidence"] for p in pairs}) == len(groups)


def test_the_place_among_the_six_says_nothing_of_the_label(pairs: list[dict[str, Any]]) -> None:
    at = Counter((p["id"][-1], p["label"] == "supported") for p in pairs)
    for letter in "abcdef":
        assert 0.4 < at[letter, True] / (at[letter, True] + at[letter, False]) < 0.6


def test_words_of_a_statement_alone_hardly_tell_its_label(pairs: list[dict[str, Any]]) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import GroupKFold, cross_val_predict

    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True).fit_transform(p["statement"] for p in pairs)
    gold = np.array([p["label"] == "supported" for p in pairs])
    groups = [p["group"] for p in pairs]
    model = LogisticRegression(max_iter=2_000)
    said = cross_val_predict(model, words, gold, groups=groups, cv=GroupKFold(5), method="predict_proba")[:, 1]
    assert roc_auc_score(gold, said) < 0.6
    contrast = np.array([p["kind"] == "contrast" for p in pairs])
    assert roc_auc_score(gold[contrast], said[contrast]) < 0.54
