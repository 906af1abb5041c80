"""Ensemble: the contract for fitted ensembles of several methods, and what is told of each sentence."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from groundscope.methods import Method, registry
from groundscope.paths import set_setting
from groundscope.training.ensemble_features import feature_names, table
from groundscope.types import Case, Judgement, Status
from tests.scorers.fitted import Folder, ensemble

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


@pytest.fixture
def load(tmp_path: Path) -> Folder:
    """Loads ensembles that say what was fitted, also of sentences that stand in the context."""
    return Folder(tmp_path, verbatim=False)


METHODS = [("overlap",), ("overlap", "quip"), ("quip", "overlap"), ("cos_sim:minilm", "quip", "overlap")]


@pytest.mark.parametrize("methods", METHODS, ids="+".join)
def test_a_judgement_keeps_the_contract(methods: tuple[str, ...], load: Folder, case: MakeCase, check: Check) -> None:
    scorer, example = load(ensemble(*methods)), case(RESPONSE, *CONTEXT)
    assert isinstance(scorer, Method)
    judgement = scorer.score(example)
    check(judgement, example)
    assert judgement.status is Status.SCORED
    heading = next(s for s in judgement.sentences if example.response[s.start : s.end] == "Outcome")
    assert heading.support is None
    first = registry.load(methods[0]).score(example)
    assert [s.matches for s in judgement.sentences] == [s.matches for s in first.sentences]
    assert any(s.matches for s in judgement.sentences)
    if first.matrix is None:
        assert judgement.matrix is None
    else:
        np.testing.assert_array_equal(judgement.matrix, first.matrix)


def test_supports_are_those_of_the_fitted_ensemble(load: Folder, case: MakeCase) -> None:
    made, example = ensemble("overlap", "quip"), case(RESPONSE, *CONTEXT)
    members = {m: registry.load(m).score(example) for m in made.methods}
    found = table(example, members)
    judgement = load(made).score(example)
    assert [judgement.sentences[i].support for i in found.places] == made.supports(found.values).tolist()
    assert sum(s.support is not None for s in judgement.sentences) == len(found.places)
    assert (judgement.calls, judgement.tokens, judgement.cost) == (0, 0, 0.0)


@pytest.mark.parametrize("rule", ["min", "mean"])
def test_sentences_make_the_response(rule: str, load: Folder, case: MakeCase) -> None:
    judgement = load(ensemble("overlap", "quip"), aggregation=rule).score(case(RESPONSE, *CONTEXT))
    known = [s.support for s in judgement.sentences if s.support is not None]
    assert len(set(known)) > 1
    assert judgement.support == pytest.approx(min(known) if rule == "min" else sum(known) / len(known))


def test_the_same_case_gives_the_same_judgement_in_any_thread(load: Folder, case: MakeCase) -> None:
    scorer = load(ensemble("overlap", "quip"))
    examples = [case(" ".join([RESPONSE, *CONTEXT[: i % 3]]), *CONTEXT[i % 2 :]) for i in range(12)]
    alone = [replace(scorer.score(example), seconds=0.0) for example in examples]
    with ThreadPoolExecutor(4) as pool:
        together = [replace(judgement, seconds=0.0) for judgement in pool.map(scorer.score, examples)]
    assert together == alone


def test_a_sentence_that_one_method_cannot_assess_has_a_support(load: Folder, case: MakeCase, check: Check) -> None:
    # Shorter than an n-gram of 21 characters: QUIP cannot assess any of it, and overlap can.
    example = case("He owed rent.", "He owed rent.")
    assert registry.load("quip").score(example).status is Status.NOT_ASSESSABLE
    for methods in (("quip", "overlap"), ("overlap", "quip")):
        made = ensemble(*methods)
        judgement = load(made).score(example)
        check(judgement, example)
        assert judgement.status is Status.SCORED
        # What QUIP does not say is as on an average sentence; nothing differs.
        only = np.array([[{"quip": np.nan, "overlap": 1.0}[m] for m in methods] + [0.0] * 11])
        assert judgement.support == made.supports(only)[0]
        assert judgement.note == ""


def test_what_no_method_can_assess_is_not_assessable(load: Folder, case: MakeCase, check: Check) -> None:
    scorer = load(ensemble("quip", "overlap"))
    for example in (
        case("It was so.", "It was so."),
        case("", *CONTEXT),
        case(RESPONSE),
        case("# Outcome\n\n# Costs\n", *CONTEXT),
    ):
        judgement = scorer.score(example)
        check(judgement, example)
        assert judgement.status is Status.NOT_ASSESSABLE
        assert judgement.claims == ()


# What counted


def _told(reason: str) -> tuple[list[str], list[str]]:
    """What lowered a support and what raised it."""
    if reason == "Nothing stands out.":
        return [], []
    found = re.fullmatch(r"(?:Lowered by: (?P<lowered>[^.]+)\.)? ?(?:Raised by: (?P<raised>[^.]+)\.)?", reason)
    assert found
    lowered, raised = (side.split("; ") if side else [] for side in (found["lowered"], found["raised"]))
    return lowered, raised


def test_every_reason_names_the_columns_that_counted_most_by_their_direction(load: Folder, case: MakeCase) -> None:
    made, example = ensemble("cos_sim:minilm", "quip", "overlap"), case(RESPONSE, *CONTEXT)
    found = table(example, {m: registry.load(m).score(example) for m in made.methods})
    judgement = load(made).score(example)
    titles = {f"support by {m}": f"support by {registry.load(m).about.title}" for m in made.methods}
    assert len(judgement.claims) == len(found.places)
    for claim, place, counted in zip(judgement.claims, found.places, made.counted(found.values), strict=True):
        sentence = judgement.sentences[place]
        assert (claim.start, claim.end, claim.support) == (sentence.start, sentence.end, sentence.support)
        assert claim.text == example.response[claim.start : claim.end]
        row = found.places.index(place)
        missing = found.missing[row]
        expected = {
            name: titles.get(name)
            or (f"{', '.join(missing)} stands nowhere in the sources" if "nowhere" in name and missing else None)
            or ("no " if found.values[row][column] == 0 else "") + name
            for column, name in enumerate(found.names)
        }
        strongest = sorted(zip(found.names, counted, strict=True), key=lambda column: -abs(column[1]))[:4]
        titled = [(expected[name], value) for name, value in strongest if abs(value) >= 0.05]
        lowered, raised = _told(claim.reason)
        assert lowered == [name for name, value in titled if value < 0]
        assert raised == [name for name, value in titled if value > 0]


def test_only_what_counts_something_is_reported(load: Folder, case: MakeCase) -> None:
    nothing = dict.fromkeys(feature_names(["overlap"]), 0.0)
    example = case("He owed rent.", "He owed rent.")
    one = load(ensemble("overlap", weights=nothing | {"support by overlap": 1.5})).score(example)
    assert one.claims[0].reason == "Raised by: support by Overlap."
    little = load(ensemble("overlap", weights=nothing | {"support by overlap": 0.03}), "little").score(example)
    assert little.claims[0].reason == "Nothing stands out."


def test_what_counts_against_a_sentence_is_reported(load: Folder, case: MakeCase) -> None:
    column = "negations that the evidence lacks"
    nothing = dict.fromkeys(feature_names(["overlap"]), 0.0)
    scorer = load(ensemble("overlap", weights=nothing | {column: -2.0}))
    plain, negated = (scorer.score(case(text, "The tenant left.")) for text in ("The tenant left.", "The tenant never left."))
    # (1 - 0.3) / 0.5 * -2 = -2.8, and (0 - 0.3) / 0.5 * -2 = 1.2
    assert _told(negated.claims[0].reason) == ([column], [])
    assert _told(plain.claims[0].reason) == ([], [f"no {column}"])
    assert negated.support < plain.support


def test_a_reason_names_what_stands_nowhere_and_has_no_other_text_of_the_case(load: Folder, case: MakeCase) -> None:
    hostile = "<script>Zyxwvoq</script> [x](javascript:1) $x$ owed \x1b[31m 77,777 euros to Zyxwvoq."
    judgement = load(ensemble("overlap", "quip")).score(case(hostile, "He owed rent."))
    (claim,) = judgement.claims
    assert claim.reason.startswith("Lowered by: Zyxwvoq, 1, 31m, 77,777 euros and more stand nowhere in the sources; ")
    assert not re.search(r"script|\x1b|\$", claim.reason)


# What it passes on


def test_a_note_of_a_method_is_passed_on(load: Folder, case: MakeCase) -> None:
    long = "The tenant owed " + "very much rent and " * 200 + "costs."
    alone = registry.load("cos_sim:minilm").score(case(long, *CONTEXT))
    assert "longer than the model reads" in alone.note
    for methods in (("overlap", "cos_sim:minilm"), ("cos_sim:minilm", "overlap")):
        assert load(ensemble(*methods)).score(case(long, *CONTEXT)).note == alone.note


def test_the_least_of_the_context_that_a_method_saw_is_reported(load: Folder, case: MakeCase) -> None:
    long = "The tenant owed " + "very much rent and " * 200 + "costs."
    example = case(RESPONSE, long)
    seen = registry.load("cos_sim:minilm").score(example).context_seen
    assert 0 < seen < 1
    assert load(ensemble("overlap", "cos_sim:minilm")).score(example).context_seen == pytest.approx(seen)


# Sentences that stand in the context


@pytest.mark.parametrize("methods", METHODS, ids="+".join)
def test_a_copied_sentence_is_supported_by_what_it_is_copied_from(
    methods: tuple[str, ...], load: Folder, case: MakeCase, check: Check
) -> None:
    # As far as the weights go nothing is supported.
    made, example = ensemble(*methods, intercept=-20.0), case(RESPONSE, *CONTEXT)
    judged, plain = load(made, verbatim=True).score(example), load(made).score(example)
    check(judged, example)
    copy, changed = judged.sentences[:2]
    assert (copy.support, copy.verbatim) == (1.0, ((copy.start, copy.end),))
    best = copy.matches[0]
    assert (example.context[best.passage].text[best.start : best.end], best.support) == (RESPONSE[: copy.end], 1.0)
    assert plain.sentences[0].support is not None
    assert plain.sentences[0].support < 0.5
    assert changed == plain.sentences[1]
    assert [c.reason for c in judged.claims if c.start == copy.start] == ["It stands word for word in the sources."]
    assert judged.claims[1:] == plain.claims[1:]
    assert judged.claims[0].support == 1.0
    assert judged.note.startswith("1 of 5 sentences stands word for word in the sources and gets support 1.")
    if judged.matrix is not None:
        assert judged.matrix[0].argmax() == 0
        assert judged.matrix[0, 0] == 1.0
    assert load(made, verbatim=True).signature != load(made).signature


def test_a_copy_is_reported_once_however_many_methods_find_it(load: Folder, case: MakeCase) -> None:
    made = ensemble("grounding_classifier", "overlap")
    note = load(made, verbatim=True).score(case(RESPONSE, *CONTEXT)).note
    assert note.count("word for word") == 1


def test_the_shipped_ensemble_stays_with_the_weights_it_was_fitted_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    before = registry.load("ensemble").signature
    assert "grounding-minilm@" in before
    set_setting("grounding_classifier", f"someone/else@{'0' * 40}")
    assert "someone/else@" in registry.load("grounding_classifier").signature
    assert registry.load("ensemble").signature == before
    assert registry.load("ensemble").unavailable() == ""  # type: ignore[attr-defined]


def test_an_ensemble_of_ones_own_refuses_other_weights_than_it_was_fitted_over(
    load: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: MakeCase
) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    fitted = ensemble("overlap", "grounding_classifier")
    signatures = {m: registry.load(m).signature for m in fitted.methods}
    scorer = load(replace(fitted, made={"signatures": signatures}))
    assert scorer.unavailable() == ""  # type: ignore[attr-defined]
    before = scorer.signature
    other = {m: re.sub("bf16|fp32", lambda found: "fp32" if found[0] == "bf16" else "bf16", s) for m, s in signatures.items()}
    assert other != signatures
    assert load(replace(fitted, made={"signatures": other}), "elsewhere").unavailable() == ""
    set_setting("grounding_classifier", f"someone/else@{'0' * 40}")
    why = scorer.unavailable()  # type: ignore[attr-defined]
    assert why.startswith("This ensemble was fitted over grounding_classifier with other weights")
    assert "fit-ensemble --replace" in why
    assert scorer.signature != before
    judgement = scorer.score(case(RESPONSE, *CONTEXT))
    assert (judgement.status, judgement.note) == (Status.FAILED, why)
    set_setting("grounding_classifier", None)
    assert (scorer.unavailable(), scorer.signature) == ("", before)  # type: ignore[attr-defined]
