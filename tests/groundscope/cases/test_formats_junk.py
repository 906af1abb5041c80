"""Hostile and wrong values in every field of every public shape: they cost their own row at most."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.dataset import read_many
from groundscope.errors import DataError
from tests.groundscope.cases.format_files import GOOD, RAGTRUTH, REFCHECKER, SINGLE, loaded, rows
from tests.groundscope.junk import HOSTILE, VALUES, at, changed, places
from tests.loops import each

JUNK = st.sampled_from(VALUES)


@each("shape", SINGLE)
def test_the_row_that_is_changed_below_is_a_good_one(shape: str) -> None:
    found = loaded(SINGLE[shape](), GOOD)
    assert found.cases[-1].id == "good"
    assert len(found.cases) > 1


@pytest.mark.parametrize("shape", SINGLE)
@given(data=st.data())
def test_junk_in_any_field_costs_its_own_row_at_most(shape: str, data: st.DataObject) -> None:
    row = SINGLE[shape]()
    spot = data.draw(st.sampled_from(list(places(row))))
    found = loaded(changed(row, spot, data.draw(JUNK)), GOOD)
    assert found.cases[-1].id == "good"
    assert len(found.cases) > 1 or found.rejected
    assert all(r.row == 1 for r in found.rejected)


@given(data=st.data())
def test_junk_in_either_half_never_breaks_the_reading(data: st.DataObject) -> None:
    names = data.draw(st.sampled_from([RAGTRUTH, REFCHECKER]))
    halves = {name: rows(name) for name in names}
    name = data.draw(st.sampled_from(names))
    spot = data.draw(st.sampled_from(list(places(halves[name][0]))))
    halves[name][0] = changed(halves[name][0], spot, data.draw(JUNK))
    try:
        found = read_many([(f"{n}.json", json.dumps(r).encode()) for n, r in halves.items()])
    except DataError:
        pytest.fail("the other rows can be used")
    ids = {c.id for f in found for c in f.cases}
    assert ids >= ({"r3", "r4"} if names is RAGTRUTH else {"12", "13"})


@each("shape", SINGLE)
def test_hostile_text_is_read_as_text_and_never_quoted(shape: str) -> None:
    row = SINGLE[shape]()
    for path in places(row):
        if not isinstance(at(row, path), str):
            continue
        found = loaded(changed(row, path, HOSTILE), GOOD)
        assert not any("alert(1)" in r.reason for r in found.rejected)
        for case in found.cases:
            texts = [case.id, case.query, case.response, case.area, *(p.text + p.source for p in case.context)]
            assert not any("\ud800" in text or "\x00" in text for text in texts)


def test_the_address_of_an_evidence_is_text_that_a_browser_takes() -> None:
    row = SINGLE["expertqa"]()
    row["answers"]["model_a"]["claims"][0]["evidence"] = ["https://wills.example/\ud800 A will is signed."]
    assert loaded(row).cases[0].context[0].source == "https://wills.example/\ufffd"
