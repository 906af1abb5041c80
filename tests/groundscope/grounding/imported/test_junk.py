"""Hostile and wrong values in every field of other tools' exports: they cost their own row at most."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.grounding.imported.scores import match
from tests.groundscope.grounding.imported.score_files import CASES, FOLDER, RAGAS, table
from tests.groundscope.junk import HOSTILE, VALUES, at, changed, places
from tests.loops import each

GOOD: dict[str, Callable[[], dict[str, Any]]] = {
    "ragas": lambda: json.loads(json.dumps({**RAGAS, "retrieved_contexts": ["c"], "relevancy": 1.0, "relevancy_reason": "x"})),
    "trulens": lambda: json.loads((FOLDER / "trulens.json").read_text())[0],
    "deepeval": lambda: json.loads((FOLDER / "deepeval.json").read_text())["testCases"][0],
    "annotation": lambda: json.loads((FOLDER / "phoenix_annotations.json").read_text())[0],
    "spans": lambda: json.loads((FOLDER / "phoenix_spans.json").read_text())[0],
    "evaluators": lambda: json.loads((FOLDER / "phoenix_evaluators.json").read_text())[0],
}


@pytest.mark.parametrize("kind", GOOD)
@given(data=st.data())
def test_junk_in_any_field_costs_its_own_row_at_most(kind: str, data: st.DataObject) -> None:
    bad = GOOD[kind]()
    bad = changed(bad, data.draw(st.sampled_from(list(places(bad)))), data.draw(st.sampled_from(VALUES)))
    found = table(GOOD[kind](), bad, GOOD[kind]())
    assert [row.number for row in found.rows if row.number != 2] == [1, 3]
    expected = table(GOOD[kind](), GOOD[kind]())
    # What the odd row tells of a metric's direction is outvoted by the others.
    assert [row.scores for row in found.rows if row.number != 2] == [row.scores for row in expected.rows]
    assert all(0 <= v <= 1 for row in found.rows for v in row.scores.values() if v is not None)
    assert not any("alert(1)" in r.reason for r in found.rejected)
    match(found, CASES)


@each("kind", GOOD)
def test_hostile_text_is_kept_as_text(kind: str) -> None:
    row = GOOD[kind]()
    for path in places(row):
        if isinstance(at(row, path), str):
            found = table(changed(row, path, HOSTILE), row)
            texts = [*found.metrics, *(r.reason for r in found.rejected)]
            texts += [t for r in found.rows for t in (r.query, r.response, r.case_id, *r.reasons.values())]
            assert not any("\ud800" in text or "\x00" in text for text in texts)
            assert all(id.isascii() and " " not in id for id in found.method_ids.values())
