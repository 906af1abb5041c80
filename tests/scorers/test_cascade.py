"""Cascade: the contract, who decided and why, one scale for two methods, and what it refuses to be made of."""

import re
from dataclasses import replace

import pytest

from groundscope.grounding.parts import listed, loaded, named
from groundscope.methods import Method, registry
from groundscope.methods.method import judged
from groundscope.runtime.retention import reusing
from groundscope.types import Status
from tests.scorers.conftest import MakeCase

CONTEXT = (
    "The court of appeal dismissed the appeal in 2003. It held that the notice was served too late.",
    "Costs of 4,500 euros were awarded to the tenant, because the landlord had acted unreasonably.",
)
PLAIN = "The court of appeal dismissed the appeal in 2003. The notice was read by the bishop."


@pytest.fixture(autouse=True)
def threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    """One by which the figures below were computed, whatever the board has."""
    overlap = type(registry.load("overlap"))
    monkeypatch.setattr(overlap, "about", replace(overlap.about, threshold=0.09))  # type: ignore[type-var]


def cascade(
    first: str = "overlap", second: str = "quip", low: float = 0.1, high: float = 0.9, reads: str = "sentences"
) -> Method:
    return registry.load("cascade", first=first, second=second, low=low, high=high, reads=reads)


def placed(support: float | None, method: Method) -> float | None:
    """Drawn by two straight lines, from 0 to the threshold and from there to 1."""
    threshold = method.about.threshold or 0.5
    if support is None or support == 1:
        return support
    return support / threshold / 2 if support < threshold else 1 - (1 - support) / (1 - threshold) / 2


@pytest.mark.parametrize(("low", "high", "alone"), [(0.4, 0.4, "overlap"), (0.0, 1.0, "quip")])
def test_a_band_without_sentences_is_the_first_method_and_a_full_one_the_second(
    low: float, high: float, alone: str, case: MakeCase
) -> None:
    example, method = case(PLAIN, *CONTEXT), registry.load(alone)
    own, judgement = method.score(example), cascade(low=low, high=high).score(example)
    assert judgement.support == pytest.approx(placed(own.support, method))
    assert [s.support for s in judgement.sentences] == pytest.approx([placed(s.support, method) for s in own.sentences])
    assert [s.matches for s in judgement.sentences] == [s.matches for s in own.sentences]


def test_every_sentence_says_who_decided_and_why(case: MakeCase) -> None:
    example = case(PLAIN, *CONTEXT)
    judgement = cascade(low=0.0, high=0.5).score(example)
    assert [claim.start for claim in judgement.claims] == [s.start for s in judgement.sentences]
    first, second = (claim.reason for claim in judgement.claims)
    assert first.startswith("Decided by Overlap: Overlap gives it 1.00 ")
    assert re.match(r"Decided by QUIP, which gives it 0\.\d\d: Overlap gives it 0\.00 .*doubtful", second)
    assert "1 of 2 sentences" in judgement.note
    certain = cascade(low=0.4, high=0.6).score(example)
    assert "QUIP was not asked" in certain.note
    assert all("only 0.4 to 0.6 is doubtful" in claim.reason for claim in certain.claims)


@pytest.mark.parametrize(("low", "high", "shown"), [(0.726, 0.8, "0.7253"), (0.1, 0.6, "0.73"), (0.1, 0.8, "0.73")])
def test_the_figures_of_a_reason_show_why_a_sentence_is_doubtful_or_not(
    low: float, high: float, shown: str, case: MakeCase
) -> None:
    (claim,) = cascade(low=low, high=high).score(case("The tenant paid costs.", "The tenant paid rent.")).claims
    assert f"Overlap gives it 0.50 ({shown} where its threshold is 0.5)" in claim.reason
    assert claim.reason.startswith("Decided by QUIP") is (low < 0.72 < 0.73 < high)


def test_doubtful_sentences_are_judged_as_an_answer_of_their_own(case: MakeCase) -> None:
    example = case(PLAIN, *CONTEXT)
    judgement = cascade("overlap", "cos_sim:minilm", 0.0, 0.5).score(example)
    alone = registry.load("cos_sim:minilm").score(case(PLAIN.partition("2003. ")[2], *CONTEXT)).sentences[0]
    assert judgement.sentences[1].support == pytest.approx(placed(alone.support, registry.load("cos_sim:minilm")), abs=1e-6)
    assert judgement.sentences[1].matches == alone.matches


def test_what_the_first_method_cannot_assess_is_doubtful_and_what_neither_can_has_no_support(case: MakeCase) -> None:
    judgement = cascade(low=0.4, high=0.6).score(case("The court of appeal dismissed the appeal in 2003. It was so.", *CONTEXT))
    assert (judgement.status, judgement.sentences[1].support) == (Status.SCORED, None)
    assert "Overlap did not decide in its place" in judgement.note
    assert judgement.claims[1].reason.startswith("Not decided: Overlap cannot assess it")


def test_a_judgement_of_the_first_method_is_made_once_where_both_are_asked(
    case: MakeCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    example, overlap, calls = case(PLAIN, *CONTEXT), registry.load("overlap"), []
    score = type(overlap).score
    monkeypatch.setattr(type(overlap), "score", lambda self, of: (calls.append(of), score(self, of))[1])
    with reusing():
        assert judged(overlap, example).support is not None
        alone = cascade().score(example)
    assert calls == [example]
    assert replace(cascade().score(example), seconds=0.0) == replace(alone, seconds=0.0)
    assert len(calls) == 2


def test_the_signature_changes_with_whatever_changes_a_support() -> None:
    assert cascade(low=0, high=1).signature == cascade(low=0.0, high=1.0).signature
    ways = [(), ("quip", "overlap"), ("overlap", "quip", 0.1000001), ("overlap", "quip", 0.1, 0.91)]
    signatures = {cascade(*way).signature for way in ways} | {cascade(reads="answer").signature}  # type: ignore[arg-type]
    assert len(signatures) == 5
    assert all(registry.load(m).signature in signature for m in ("overlap", "quip") for signature in signatures)


def test_the_plain_id_is_listed_with_the_methods_that_it_has() -> None:
    assert [m for m in registry.names() if m.startswith("cascade")] == ["cascade"]
    scorer = registry.load("cascade")
    assert (scorer.methods, scorer.asks, scorer.address) == (("overlap", "grounding_classifier"), False, "")
    assert (scorer.about.threshold, scorer.on_request) == (0.5, True)
    assert scorer.unavailable() == registry.load("grounding_classifier").unavailable()


def test_parts_of_a_run_name_its_methods_and_its_band_and_sweep_them() -> None:
    names = listed("overlap, cascade:first=overlap,second=cos_sim:minilm,low=0.3,high=0.7, quip:n=9,cascade")
    assert names == ("overlap", "cascade:first=overlap,second=cos_sim:minilm,low=0.3,high=0.7", "quip:n=9", "cascade")
    parts = named(names, registry.names(), ["cascade.second=quip"], ["cascade.high=0.6,0.8"])
    assert parts[1].options == {"first": "overlap", "second": "cos_sim:minilm", "low": 0.3, "high": 0.7}
    assert [(p.id, p.options, p.sweep) for p in parts[3:]] == [
        ("cascade", {"second": "quip"}, ""),
        ("cascade:high=0.6", {"high": 0.6}, "cascade.high"),
        ("cascade:high=0.8", {"high": 0.8}, "cascade.high"),
    ]
    made, _ = loaded(parts[1])
    assert made.title == "Cascade, Overlap then COS_SIM MiniLM (first=overlap,second=cos_sim:minilm,low=0.3,high=0.7)"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"first": "gone"}, "first must be the id of a method"),
        ({"first": "cascade"}, "first must be another method than a cascade"),
        ({"first": "direct"}, "first must be a method that asks no chat model"),
        ({"second": "overlap"}, "second must be another method than first"),
        ({"low": 0.8}, "low must be at most high, 0.7, got 0.8"),
        ({"second": "direct", "model": "x"}, "model must be the spec of a chat model"),
    ],
)
def test_what_it_cannot_be_made_of_is_refused_in_a_sentence(options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match="must be") as refused:
        registry.load("cascade", **options)
    assert str(refused.value).startswith(words)
