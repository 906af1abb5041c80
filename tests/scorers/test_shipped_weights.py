"""The grounding classifier: the adapter that comes with the project, and what the user may put in its place, by a tiny one."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.methods import EVEN, registry
from groundscope.models.weights import memory
from groundscope.models.weights.files import MINILM
from groundscope.models.weights.grounding import SMOLLM2, USERS
from groundscope.paths import set_setting, settings
from groundscope.types import Judgement, Status
from tests.groundscope.training.samples import labelled
from tests.scorers import tiny
from tests.scorers.conftest import Check, MakeCase
from tests.scorers.pair_methods.published import matrix_of

COMMIT = "0123456789abcdef0123456789abcdef01234567"
RECORD: dict[str, Any] = {
    "about": {"evidence": 3, "Licence": "Apache-2.0; its data CC BY 4.0"},
    "dev_after": {"threshold": 0.25},
    "responses": {"threshold": 0.75},
}
CARD = "# grounding-classifier\n\nIts data: CC BY 4.0.\n"


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    return tiny.bert_cross_encoder(tmp_path_factory.mktemp("models") / "classifier")


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture
def own(classifier: Path, tmp_path: Path) -> Path:
    """A user's model where the method looks for one."""
    return put(classifier, tmp_path / "models" / USERS.name, RECORD, CARD)


def put(classifier: Path, folder: Path, record: Any = None, card: str = "") -> Path:
    shutil.copytree(classifier, folder)
    for name, text in (("training.json", json.dumps(record)), ("README.md", card)):
        (folder / name).unlink(missing_ok=True)
        if text not in ("", "null"):
            (folder / name).write_text(text, encoding="utf-8")
    return folder


def load(**parameters: Any) -> Any:
    return registry.load("grounding_classifier", **parameters)


def test_the_adapter_that_ships_is_ready_and_reads_six_sentences_at_most() -> None:
    scorer = load()
    assert (scorer.weights, scorer.unavailable(), scorer.about.needs) == (SMOLLM2, "", "")
    assert (scorer.context_unit, scorer.window, scorer.verbatim) == ("nearest", 6, True)
    (requirement,) = scorer.requirements()
    assert requirement.bundled


def test_the_id_of_earlier_versions_leads_to_it(own: Path) -> None:
    earlier = "grounding_classifier:smollm2"
    # While a model of the user's has its place it is a method beside that.
    assert registry.load(earlier).weights == SMOLLM2
    assert (registry.load(earlier).id, registry.current(earlier)) == (earlier, earlier)
    assert not registry.load(earlier).requirements()[0].replaceable
    signature = registry.load(earlier).signature
    shutil.rmtree(own)
    assert earlier not in registry.names()
    assert (registry.load(earlier).id, registry.current(earlier)) == ("grounding_classifier", "grounding_classifier")
    assert registry.load(earlier).signature == load().signature == signature


def test_a_users_model_reads_what_it_was_trained_on(own: Path, check: Check) -> None:
    scorer = load()
    assert scorer.weights == USERS
    assert (scorer.context_unit, scorer.window, scorer.verbatim) == ("nearest", 3, True)
    assert (scorer.about.threshold, scorer.about.threshold_source) == (0.75, "tuned on dev by its training")
    assert scorer.about.licence == "Apache-2.0; its data CC BY 4.0"
    assert scorer.card() == CARD
    for case in labelled(1):
        judgement = scorer.score(case)
        assert judgement.status is Status.SCORED, judgement.note
        check(judgement, case)


def test_prepared_it_has_loaded_all_that_it_needs(own: Path) -> None:
    from groundscope.models.embedders import sentences

    load().prepare()
    assert len(memory._loaded) == 1
    assert {weights for weights, _ in sentences._loaded} == {MINILM}


@pytest.mark.parametrize(
    ("record", "threshold", "source"),
    [
        ({"dev_after": {"threshold": 0.25}}, 0.25, "tuned on dev by its training"),
        (None, 0.5, EVEN),
        ({"about": {"evidence": "4", "Licence": 3}, "responses": {"threshold": float("nan")}}, 0.5, EVEN),
    ],
)
def test_where_its_record_does_not_tell_it_reads_as_in_the_paper(
    record: Any, threshold: float, source: str, classifier: Path, tmp_path: Path
) -> None:
    put(classifier, tmp_path / "models" / USERS.name, record)
    scorer = load()
    assert scorer.weights == USERS
    assert (scorer.context_unit, scorer.window) == ("sentence", 3)
    assert (scorer.about.threshold, scorer.about.threshold_source) == (threshold, source)
    assert (scorer.about.licence, scorer.card()) == ("that of the model it was made from", "")


def test_what_the_caller_says_counts_also_where_it_is_the_usual(own: Path, case: MakeCase) -> None:
    assert [(s.context_unit, s.window) for s in (load(context_unit="sentence"), load(window=1), load(window=3))] == [
        ("sentence", 3),
        ("nearest", 1),
        ("nearest", 3),
    ]
    example = case("The tenant was awarded costs.", "Costs were awarded. The tenant had won the appeal in 2003.")
    assert load(context_unit="sentence").score(example).support != load().score(example).support


def test_its_signature_changes_with_its_weights(own: Path) -> None:
    before = load().signature
    assert before.startswith("grounding_classifier|grounding-classifier@folder(")
    assert "|unit=nearest|window=3|aggregation=min|prune=0 nearest by sentence-transformers/all-MiniLM-L6-v2" in before
    assert before.endswith("|verbatim=on")
    assert load(verbatim=False).signature == before.removesuffix("|verbatim=on")
    config = own / "config.json"
    config.write_text(config.read_text(encoding="utf-8").replace("1e-12", "1e-05"), encoding="utf-8")
    assert load().signature != before


# What the user puts in its place


def test_a_folder_of_the_user_comes_first_with_its_own_record_and_one_by_path_before_that(
    own: Path, classifier: Path, tmp_path: Path
) -> None:
    assert (load().weights, load().requirements()[0].where) == (USERS, str(own))
    bare = put(classifier, tmp_path / "bare")
    load().accept(USERS.name, str(bare))
    scorer = load()
    assert (scorer.weights, scorer.requirements()[0].where) == (USERS, str(bare))
    assert (scorer.context_unit, scorer.window, scorer.about.threshold) == ("sentence", 3, 0.5)


def test_an_empty_path_leads_back_to_it(classifier: Path, tmp_path: Path) -> None:
    before = load().signature
    load().accept(SMOLLM2.name, str(put(classifier, tmp_path / "own")))
    assert load().weights == USERS
    load().accept(USERS.name, "")
    assert (load().signature, settings()) == (before, {})
    load().accept(SMOLLM2.name, f"organisation/model@{COMMIT}")
    assert load().weights.model == "organisation/model"
    assert "are not on this machine" in load().unavailable()
    load().accept("organisation/model", "")
    assert (load().signature, settings()) == (before, {})


def test_it_never_stands_in_for_what_the_user_chose(classifier: Path, tmp_path: Path, case: MakeCase) -> None:
    example = case("The tenant was awarded costs.", "Costs were awarded to the tenant.")
    named = put(classifier, tmp_path / "own")
    set_setting("folders", {USERS.name: str(named)})
    shutil.rmtree(named)
    gone = "The folder that was named for grounding-classifier holds no config.json any more; name another on the methods page."
    assert load().score(example) == Judgement(Status.FAILED, note=gone, context_seen=0.0)
    set_setting("folders", None)
    (tmp_path / "models" / USERS.name).mkdir(parents=True)
    assert load().weights == USERS
    assert "weights of grounding-classifier are not on this machine" in load().score(example).note


def test_without_it_the_method_says_what_to_do(none_shipped: Path, case: MakeCase) -> None:
    why = "The folder models/grounding-smollm2 of this project is incomplete; get the project again."
    assert load().unavailable() == why
    judgement = load().score(case("It was so decided.", "It was so decided."))
    assert judgement == Judgement(Status.FAILED, note=why, context_seen=0.0)


# Sentences that stand in the context


COPY, CHANGED = "Costs of 4,500 euros were awarded to the tenant.", "Costs of 4,500 euros were awarded to the landlord."
CONTEXT = ("The court of appeal dismissed the appeal. The landlord had acted unreasonably.", f"It was late. {COPY}")


@pytest.mark.parametrize("options", [{}, {"context_unit": "sentence"}, {"context_unit": "passage"}, {"prune": 1}, {"window": 1}])
def test_a_copied_sentence_is_supported_by_what_it_is_copied_from(
    options: dict[str, Any], own: Path, case: MakeCase, check: Check
) -> None:
    example = case(f"# Costs\n\n{CHANGED} {COPY}", *CONTEXT)
    judged, plain = load(**options).score(example), load(**options, verbatim=False).score(example)
    check(judged, example)
    heading, changed, copy = judged.sentences
    assert heading.support is None
    # Without the copy the batch is another one: on some processors a support's last digit is, too.
    same = plain.sentences[1]
    assert changed.support == pytest.approx(same.support, rel=1e-5)
    assert [(m.passage, m.start, m.end) for m in changed.matches] == [(m.passage, m.start, m.end) for m in same.matches]
    assert (changed.start, changed.end, changed.verbatim) == (same.start, same.end, same.verbatim)
    assert (copy.support, copy.verbatim) == (1.0, ((copy.start, copy.end),))
    best = copy.matches[0]
    assert (example.context[best.passage].text[best.start : best.end], best.support) == (COPY, 1.0)
    assert (plain.sentences[2].support or 1.0) < 1.0
    matrix = matrix_of(judged)
    assert np.nanargmax(matrix[2]) == 3
    assert matrix[2, 3] == 1.0
    np.testing.assert_allclose(matrix[:2], matrix_of(plain)[:2], rtol=1e-5)
    assert judged.note.startswith("1 of 3 sentences stands word for word in the sources and gets support 1.")
    assert "word for word" not in plain.note
    assert judged.support == changed.support


def test_where_the_whole_context_is_one_text_a_copy_is_still_shown_its_place(own: Path, case: MakeCase) -> None:
    judged = load(context_unit="full").score(case(f"{CHANGED} {COPY}", *CONTEXT))
    assert judged.matrix is None
    assert [(s.support == 1.0, len(s.matches)) for s in judged.sentences] == [(False, 0), (True, 1)]


def test_a_response_of_copies_alone_asks_no_model(own: Path, case: MakeCase, check: Check) -> None:
    example = case(f"{COPY} The landlord had acted unreasonably.", *CONTEXT)
    judged = load().score(example)
    check(judged, example)
    assert (judged.support, judged.cached) == (1.0, 0.0)


def test_other_cross_encoders_do_so_only_when_they_are_reported_to() -> None:
    for method in ("hem_v1", "hem_v2", "factkb", "context_nli"):
        usual: Any = registry.load(method)
        assert usual.verbatim is False
        assert "verbatim" not in usual.signature
        assert registry.load(method, verbatim=True).signature == f"{usual.signature}|verbatim=on"
