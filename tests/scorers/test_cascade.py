"""Cascade: the contract for cascades of methods of this machine, who decided, and what it refuses to run with."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from groundscope.grounding.runs import listing
from groundscope.methods import Method, registry
from groundscope.training.cascade_files import cascaded, placed
from groundscope.training.cascade_records import records
from groundscope.training.ensembles import write
from groundscope.training.own_models import own_cascade
from groundscope.types import Case, Judgement, Status
from tests.scorers.fitted import cascade, cascade_of

MakeCase = Callable[..., Case]
Check = Callable[[Judgement, Case], None]

CONTEXT = (
    "The court of appeal dismissed the appeal in 2003. It held that the notice was served too late.",
    "Costs of 4,500 euros were awarded to the tenant, because the landlord had acted unreasonably.",
)
RESPONSE = (
    "The court of appeal dismissed the appeal in 2003. The landlord may not have been awarded costs of 5,400 euros!\n\n"
    "# Outcome\n\n- The notice came too late (see 12 F.3d 345).\n- Id.\n"
)
WAYS = [
    ("overlap", "quip", 0.1, 0.9),
    ("quip", "overlap", 0.0, 1.0),
    ("overlap", "quip", 0.3, 0.3),
    ("overlap", "ensemble", 0.0, 0.5),
]


@pytest.mark.parametrize("asked", ["sentences", "answer"])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_judgement_keeps_the_contract(
    way: tuple[str, str, float, float], asked: str, tmp_path: Path, case: MakeCase, check: Check
) -> None:
    scorer, example = cascade_of(cascade(*way, asked=asked), tmp_path), case(RESPONSE, *CONTEXT)
    assert isinstance(scorer, Method)
    judgement = scorer.score(example)
    check(judgement, example)
    assert judgement.status is Status.SCORED
    heading = next(s for s in judgement.sentences if example.response[s.start : s.end] == "Outcome")
    assert heading.support is None
    assert any(s.matches for s in judgement.sentences)
    assert replace(scorer.score(example), seconds=0.0) == replace(judgement, seconds=0.0)


@pytest.mark.parametrize(("low", "high", "alone"), [(0.4, 0.4, "overlap"), (0.0, 1.0, "quip")])
def test_an_empty_band_is_the_first_method_and_a_full_one_the_second(
    low: float, high: float, alone: str, tmp_path: Path, case: MakeCase
) -> None:
    example = case(RESPONSE, *CONTEXT)
    made = registry.load(alone)
    own, threshold = made.score(example), made.about.threshold
    judgement = cascade_of(cascade("overlap", "quip", low, high), tmp_path).score(example)
    assert own.support is not None
    assert judgement.support == placed(own.support, threshold)
    assert (judgement.support >= 0.5) is (own.support >= threshold)
    expected = [None if s.support is None else placed(s.support, threshold) for s in own.sentences]
    assert [s.support for s in judgement.sentences] == expected
    assert [s.matches for s in judgement.sentences] == [s.matches for s in own.sentences]


def test_every_sentence_says_who_decided_and_why(tmp_path: Path, case: MakeCase) -> None:
    example = case("The court of appeal dismissed the appeal in 2003. The notice was read by the bishop.", *CONTEXT)
    one = registry.load("overlap").score(example)
    assert [s.support for s in one.sentences] == [1.0, 0.0]
    judgement = cascade_of(cascade("overlap", "quip", 0.0, 0.5), tmp_path).score(example)
    reasons = [(claim.start, claim.reason) for claim in judgement.claims]
    assert reasons[0] == (0, "Decided by Overlap, which gives it 1.00: only 0.00 to 0.50 is doubtful.")
    assert reasons[1][0] == judgement.sentences[1].start
    assert re.fullmatch(
        r"Decided by QUIP, which gives it 0\.\d\d: Overlap gives it 0\.00, which is doubtful \(0\.00 to 0\.50\)\.", reasons[1][1]
    )
    assert judgement.note.startswith("QUIP was asked about 1 of 2 sentences, doubtful after Overlap.")
    certain = cascade_of(cascade("overlap", "quip", 0.4, 0.6), tmp_path).score(example)
    assert certain.note == "Nothing was doubtful after Overlap: QUIP was not asked."
    assert [claim.reason for claim in certain.claims] == [
        f"Decided by Overlap, which gives it {x}: only 0.40 to 0.60 is doubtful." for x in ("1.00", "0.00")
    ]


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.4, 0.4, "nothing is doubtful"),
        (0.4999, 0.5, "only 0.4999 to below 0.5000 is doubtful"),
        (0.5001, 0.6, "only 0.5001 to 0.6000 is doubtful"),
        (0.502, 0.6, "only 0.502 to 0.600 is doubtful"),
    ],
)
def test_the_figures_of_a_reason_show_why_a_sentence_is_not_doubtful(
    low: float, high: float, words: str, tmp_path: Path, case: MakeCase
) -> None:
    example = case("The tenant paid costs.", "The tenant paid rent.")
    own = registry.load("overlap").score(example).sentences[0].support
    assert own == 0.5
    (claim,) = cascade_of(cascade("overlap", "quip", low, high), tmp_path).score(example).claims
    digits = 2 if low == high else max(2, len(words.split()[1]) - 2)
    assert claim.reason == f"Decided by Overlap, which gives it {own:.{digits}f}: {words}."


def test_what_the_first_method_cannot_assess_is_doubtful_and_what_neither_can_has_no_support(
    tmp_path: Path, case: MakeCase
) -> None:
    example = case("The court of appeal dismissed the appeal in 2003. It was so.", *CONTEXT)
    assert registry.load("overlap").score(example).sentences[1].support is None
    judgement = cascade_of(cascade("overlap", "quip", 0.4, 0.6), tmp_path).score(example)
    assert judgement.status is Status.SCORED
    assert judgement.sentences[1].support is None
    assert "It gave no support to 1 of them, and Overlap did not decide in its place." in judgement.note
    assert judgement.claims[1].reason == "Not decided: Overlap cannot assess it, and QUIP gives it no support."


def test_a_case_with_nothing_to_assess_is_not_assessable(tmp_path: Path, case: MakeCase) -> None:
    scorer = cascade_of(cascade("overlap", "quip"), tmp_path)
    assert scorer.score(case("", *CONTEXT)).status is Status.NOT_ASSESSABLE
    assert scorer.score(case("It was so.", *CONTEXT)).status is Status.NOT_ASSESSABLE


def test_it_judges_as_was_worked_out_from_the_run(tmp_path: Path) -> None:
    run = listing.find("offline-methods")
    places = run.method("overlap"), run.method("quip")
    found = records(run, *places, "dev")
    made = cascade("overlap", "quip", 0.2, 0.5)
    worked = cascaded(found.judged, made.low, made.high, (made.first.threshold, made.second.threshold))
    scorer = cascade_of(made, tmp_path)
    judged = [scorer.score(case) for case in run.read_cases(run.rows("dev").tolist())]
    assert [j.support for j in judged] == pytest.approx(worked.responses.tolist())
    kept = [s.support for j in judged for s in j.sentences if s.support is not None]
    assert kept == pytest.approx(worked.sentences[~np.isnan(worked.sentences)].tolist())
    asked = [j for j in judged if "was asked" in j.note]
    assert 0 < len(asked) < len(judged)


def test_the_signature_changes_with_whatever_changes_a_support(tmp_path: Path) -> None:
    made = cascade("overlap", "quip")
    others = {
        "same": made,
        "low": replace(made, low=0.1000001),
        "high": replace(made, high=0.91),
        "asked": replace(made, asked="answer"),
        "first": replace(made, first=replace(made.first, threshold=0.3)),
        "second": replace(made, second=replace(made.second, threshold=0.3)),
        "turned": cascade("quip", "overlap"),
    }
    signatures = []
    for other in others.values():
        scorer = cascade_of(other, tmp_path)
        signatures.append(scorer.signature)
        assert all(registry.load(m).signature in scorer.signature for m in ("overlap", "quip"))
    assert len(set(signatures)) == len(others)
    assert cascade_of(replace(made, threshold=0.7, made={"a": 1}), tmp_path).signature == signatures[0]


def test_own_cascades_are_methods_by_their_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    assert "cascade" in registry.names()
    assert registry.load("cascade").unavailable().startswith("No cascade is here; run `python -m groundscope fit-cascade`")
    write(cascade("overlap", "quip"), own_cascade("mine"))
    assert [m for m in registry.names() if m.startswith("cascade")] == ["cascade:mine"]
    scorer = registry.load("cascade:mine")
    assert (scorer.about.title, scorer.about.threshold, scorer.about.needs) == ("Cascade mine", 0.5, "")
    assert (scorer.unavailable(), scorer.methods, scorer.asks, scorer.address) == ("", ("overlap", "quip"), False, "")
    assert scorer.about.measures == (
        "How well a sentence is supported by Overlap, or, where that is in doubt, by QUIP; each method's own threshold counts as "
        "0.5."
    )


def test_other_settings_missing_methods_and_cascades_of_cascades_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: MakeCase
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    made = cascade("overlap", "quip")
    write(made, own_cascade("inner"))
    wrong = {
        "fitted over quip with other weights or settings": replace(made, second=replace(made.second, options={"n": 9})),
        "A method of this cascade is not here: no method 'gone'": replace(made, second=replace(made.second, method="gone")),
        "A cascade cannot be a part of a cascade": cascade("overlap", "cascade:inner"),
        "direct asks a chat model, and the first method of a cascade must not": cascade("direct", "quip"),
    }
    for says, other in wrong.items():
        scorer = cascade_of(other, tmp_path)
        assert says in scorer.unavailable()
        judgement = scorer.score(case(RESPONSE, *CONTEXT))
        assert (judgement.status, judgement.note) == (Status.FAILED, scorer.unavailable())
        assert scorer.signature == "cascade|missing mine"
