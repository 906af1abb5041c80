"""The weights of whole methods, fetched from a hub over HTTP: they score, are checked, and are mended."""

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from huggingface_hub import constants

from groundscope.errors import ScorerUnavailable
from groundscope.models.weights.files import MANIFEST
from groundscope.paths import set_setting, settings
from groundscope.runtime.progress import listening
from groundscope.types import Status
from scorers.factkb import FactKB
from scorers.grounding_classifier import GroundingClassifier
from scorers.hem_v2 import FOUNDATION, HemV2
from scorers.hem_v2 import WEIGHTS as HEM_V2
from tests.groundscope.models.weights.fetching import fetch, names_in
from tests.hub import Hub
from tests.scorers.conftest import MakeCase
from tests.scorers.pair_methods.published import PUBLISHED

RESPONSE = "The court of appeal dismissed the appeal. Costs were awarded to the landlord."
CONTEXT = ("The court of appeal dismissed the appeal in 2003.", "Costs of 4,500 euros were awarded to the tenant.")


@pytest.fixture(scope="module")
def published(cross_encoders: Path, tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Tiny models as their publishers lay them out, with files that nobody wants."""
    root = shutil.copytree(cross_encoders, tmp_path_factory.mktemp("published") / "models")
    hem_v2, foundation, classifier = root / HEM_V2.name, root / FOUNDATION.name, root / "grounding-classifier"
    factkb, tokenizer = (root / PUBLISHED["factkb"][i] for i in (0, 1))
    shutil.copy(hem_v2 / "model.safetensors", foundation / "model.safetensors")
    for folder in (hem_v2, foundation, factkb, tokenizer, classifier):
        (folder / "modeling_hhem_v2.py").write_text("raise SystemExit('this was run')\n")
        (folder / "tf_model.h5").write_bytes(b"not wanted")
    for folder in (hem_v2, classifier):
        (folder / "pytorch_model.bin").write_bytes(b"not wanted")
    return SimpleNamespace(hem_v2=hem_v2, foundation=foundation, factkb=factkb, tokenizer=tokenizer, classifier=classifier)


def test_hem_v2_comes_from_two_repositories_and_scores(published: Any, use: Any, case: MakeCase) -> None:
    scorer = HemV2(precision="fp32")
    assert "are not on this machine" in scorer.unavailable()
    with Hub({f"{HEM_V2.model}@{HEM_V2.revision}": published.hem_v2, FOUNDATION.model: published.foundation}) as hub:
        use(hub)
        fetch(*scorer.needed)
    assert names_in(HEM_V2.own_folder()) == {"config.json", "configuration_hhem_v2.py", "model.safetensors", MANIFEST}
    assert names_in(FOUNDATION.own_folder()) == {"config.json", "spiece.model", "tokenizer_config.json", MANIFEST}
    assert scorer.unavailable() == ""
    assert [r.where for r in scorer.requirements()] == [str(w.own_folder()) for w in scorer.needed]
    assert f"{HEM_V2.name}@{HEM_V2.revision}+" in scorer.signature
    assert scorer.score(case(RESPONSE, *CONTEXT)).status is Status.SCORED
    assert not (HEM_V2.own_folder() / "was_run").exists()


def test_weights_that_miss_the_published_supports_are_refused_after_the_download(published: Any, use: Any) -> None:
    said: list[tuple[int, int]] = []
    wrong = "do not give the supports that their publisher prints; get them again"
    with Hub({HEM_V2.model: published.hem_v2, FOUNDATION.model: published.foundation}) as hub:
        use(hub)
        with listening(lambda done, total: said.append((done, total))), pytest.raises(ScorerUnavailable, match=wrong):
            HemV2(precision="fp32").fetch()
    assert "are not on this machine" in HemV2().unavailable()
    assert not HEM_V2.own_folder().exists()
    # The check of the pairs counts otherwise; a bar in megabytes must not jump back to it.
    assert len({total for _, total in said}) == 1
    assert said == sorted(said)


def test_factkb_comes_as_a_pickle_under_a_commit_and_scores(published: Any, use: Any, case: MakeCase) -> None:
    scorer = FactKB(precision="fp32")
    with Hub({scorer.weights.model: published.factkb, "FacebookAI/roberta-base": published.tokenizer}) as hub:
        use(hub)
        # As on the real hub, which has given the model another name since.
        hub.moved = {"roberta-base": "FacebookAI/roberta-base"}
        scorer.fetch()
        sent = hub.sent
        scorer.fetch()
        assert hub.sent == sent
    own = scorer.weights.own_folder()
    assert names_in(own) == {"config.json", "pytorch_model.bin", MANIFEST}
    assert scorer.unavailable() == ""
    assert f"bunsenfeng/FactKB@{scorer.weights.revision}+roberta-base@{scorer.tokenizer.revision}|" in scorer.signature
    judgement = scorer.score(case(RESPONSE, *CONTEXT))
    assert judgement.status is Status.SCORED


def test_a_method_whose_weights_were_damaged_says_so_and_gets_them_again(published: Any, use: Any, case: MakeCase) -> None:
    scorer = FactKB(precision="fp32")
    with Hub({scorer.weights.model: published.factkb, scorer.tokenizer.model: published.tokenizer}) as hub:
        use(hub)
        scorer.fetch()
        weights = scorer.weights.own_folder() / "pytorch_model.bin"
        weights.write_bytes(weights.read_bytes()[:1000])
        assert scorer.unavailable()
        assert [bool(r.missing) for r in scorer.requirements()] == [True, False]
        scorer.fetch()
    assert scorer.unavailable() == ""
    assert scorer.score(case(RESPONSE, *CONTEXT)).status is Status.SCORED


def test_a_named_folder_that_is_gone_gives_way_to_the_download(published: Any, use: Any, tmp_path: Path) -> None:
    scorer = FactKB(precision="fp32")
    set_setting("folders", {scorer.weights.name: str(tmp_path / "gone"), "another": "/kept"})
    assert "holds no config.json any more" in scorer.unavailable()
    with Hub({scorer.weights.model: published.factkb, scorer.tokenizer.model: published.tokenizer}) as hub:
        use(hub)
        scorer.fetch()
    assert scorer.unavailable() == ""


def test_a_folder_is_kept_once_it_was_checked_and_not_before(published: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A check that is stopped, or dies for want of memory, comes to no end."""
    named: list[tuple[dict[str, Any], Path]] = []
    monkeypatch.setattr(GroundingClassifier, "verify", lambda self: named.append((settings(), self.weights.folder())))
    GroundingClassifier().accept("grounding-classifier", str(published.classifier))
    assert named == [({}, published.classifier)]
    assert settings() == {"folders": {"grounding-classifier": str(published.classifier)}}


def test_without_a_choice_the_grounding_classifier_asks_no_hub(hub: Hub, none_shipped: Path) -> None:
    with pytest.raises(ScorerUnavailable, match="models/grounding-smollm2 of this project is incomplete"):
        GroundingClassifier().fetch()
    assert hub.requests == []


def test_a_grounding_classifier_of_the_hub_comes_as_safetensors_and_scores(published: Any, use: Any, case: MakeCase) -> None:
    commit = "c" * 40
    GroundingClassifier().accept("", f"org/fine-tuned@{commit}")
    scorer = GroundingClassifier(precision="fp32")
    with Hub({f"org/fine-tuned@{commit}": published.classifier}) as hub:
        use(hub)
        scorer.fetch()
        own = scorer.weights.own_folder()
        assert {"model.safetensors", "config.json", MANIFEST} < names_in(own)
        assert not {"pytorch_model.bin", "modeling_hhem_v2.py"} & names_in(own)
    assert f"org/fine-tuned@{commit}|fp32" in scorer.signature
    assert scorer.score(case(RESPONSE, *CONTEXT)).status is Status.SCORED


def test_half_a_model_in_the_hub_s_cache_does_not_count_as_here(published: Any) -> None:
    """transformers leaves a config.json there whenever somebody only looks at a model."""
    scorer = FactKB()
    cached, commit = Path(constants.HF_HUB_CACHE) / "models--bunsenfeng--FactKB", scorer.weights.revision
    snapshot = cached / "snapshots" / commit
    snapshot.mkdir(parents=True)
    shutil.copy(published.factkb / "config.json", snapshot)
    assert scorer.requirements()[0].missing
    shutil.copy(published.factkb / "pytorch_model.bin", snapshot)
    assert scorer.requirements()[0].where == str(snapshot)
