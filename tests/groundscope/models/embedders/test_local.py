"""Sentence-transformers models of this machine: their own numbers, prompts and limits, and folders that are refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from groundscope.errors import Cancelled, ScorerUnavailable
from groundscope.models import embedders
from groundscope.models.embedders import local
from groundscope.types import Matrix
from tests.groundscope.models.embedders.conftest import ignore
from tests.groundscope.models.embedders.models import LIMIT, PROMPTS, routed_model, sentence_model, table_model
from tests.groundscope.models.model_folders.folders import Damage, as_a_pickle, change, with_nan, without, without_a_layer, write

TEXTS = [
    "The court of appeal dismissed the appeal in 2003.",
    "Costs of 4,500 euros were awarded to the tenant.",
    "costs " * 60,
    "",
    "法院 \ud800 \x00 <b>",
    "Costs of 4,500 euros were awarded to the tenant.",
]
CLEAN = [text.replace("\ud800", "?") for text in TEXTS]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sentence_model(tmp_path_factory.mktemp("model") / "tiny", prompts=PROMPTS)


@pytest.fixture
def folder(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to break; nothing else of this machine is seen."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    local._load.cache_clear()
    return Path(shutil.copytree(saved, tmp_path / "tiny"))


def _plain(folder: Path, texts: list[str]) -> Matrix:
    """As its own library has it, without prompts."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    found: Matrix = model.encode(texts, prompt="", normalize_embeddings=True)
    return found


def _near(one: Matrix, other: Matrix) -> bool:
    return one.shape == other.shape and bool(np.abs(one - other).max() < 1e-5)


def test_vectors_are_those_of_sentence_transformers_with_the_models_prompts(folder: Path) -> None:
    embedder = embedders.embedder(f"local:{folder};precision=fp32")
    assert embedder.unavailable() == ""
    passages, questions = embedder.passages(TEXTS, ignore), embedder.questions(TEXTS, ignore)
    assert passages.dtype == np.float32
    assert _near(passages, _plain(folder, [PROMPTS["document"] + text for text in CLEAN]))
    assert _near(questions, _plain(folder, [PROMPTS["query"] + text for text in CLEAN]))
    assert not _near(passages, questions)


@pytest.mark.parametrize(
    ("prompts", "passage", "question"),
    [
        ({}, "", ""),
        ({"query": "q: ", "passage": "p: "}, "p: ", "q: "),
        ({"query": "", "document": "", "clustering": "costs "}, "", ""),
        # What a model puts before everything is not meant for a search, where it has words for that.
        ({"sts": "the costs ", "query": "q: "}, "", "q: "),
    ],
)
def test_prompts_are_taken_where_the_model_defines_them(
    prompts: dict[str, str], passage: str, question: str, folder: Path
) -> None:
    default = {"default_prompt_name": "sts"} if "sts" in prompts else {}
    change(folder / "config_sentence_transformers.json", prompts=prompts, **default)
    embedder = embedders.embedder(f"local:{folder};precision=fp32")
    texts = [text for text in CLEAN if text]
    assert _near(embedder.passages(texts, ignore), _plain(folder, [passage + text for text in texts]))
    assert _near(embedder.questions(texts, ignore), _plain(folder, [question + text for text in texts]))


@pytest.mark.parametrize(("pooling", "dense"), [("cls", 0), ("mean", 7)])
def test_pooling_and_further_layers_are_the_models(pooling: str, dense: int, tmp_path: Path) -> None:
    folder = sentence_model(tmp_path / "other", pooling=pooling, dense=dense)
    found = embedders.embedder(f"local:{folder};precision=fp32").passages(TEXTS, ignore)
    assert _near(found, _plain(folder, CLEAN))
    assert found.shape[1] == (dense or 32)


def test_a_model_with_a_way_of_its_own_for_questions_is_asked_in_it(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    folder = routed_model(tmp_path / "routed")
    embedder, texts = embedders.embedder(f"local:{folder};precision=fp32"), CLEAN[:3]
    known = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    passages, questions = embedder.passages(texts, ignore), embedder.questions(texts, ignore)
    assert _near(passages, known.encode_document(texts, normalize_embeddings=True))
    assert _near(questions, known.encode_query(texts, normalize_embeddings=True))
    assert not _near(passages, questions)
    before = embedder.signature
    change(folder / "query_1_Pooling" / "config.json", pooling_mode="mean")
    assert embedder.signature != before
    without_a_layer(folder / "document_0_Transformer")
    with pytest.raises(ScorerUnavailable, match="lacks 1 layers"):
        embedder.passages(texts, ignore)
    change(folder / "router_config.json", types={"query_0_Transformer": "own.Own"})
    assert "to run code of its own" in embedder.unavailable()


def test_a_table_of_word_vectors_needs_no_network_and_cuts_nothing(tmp_path: Path) -> None:
    embedder = embedders.embedder(f"local:{table_model(tmp_path / 'table')}")
    assert "|fp32|" in embedder.signature
    assert _near(embedder.passages(CLEAN[:3], ignore), _plain(tmp_path / "table", CLEAN[:3]))
    assert (embedder.cut(["costs " * 5_000]), embedder.reads()) == (0, None)
    assert embedder.tokens("costs " * 5_000) == 5_000
    with pytest.raises(ScorerUnavailable, match="table gave 1 of 2 vectors that hold NaN, infinity or only zeros"):
        embedder.passages(["costs", ""], ignore)


def test_vectors_have_length_one_in_either_precision_and_equal_texts_equal_vectors(folder: Path) -> None:
    for precision in ("fp32", "bf16"):
        found = embedders.embedder(f"local:{folder};precision={precision}").passages(TEXTS, ignore)
        assert np.abs(np.linalg.norm(found, axis=1) - 1).max() < 1e-6
        assert found[1].tolist() == found[5].tolist()
    assert embedders.embedder(f"local:{folder}").passages([], ignore).shape == (0, 32)


def test_texts_that_are_cut_are_counted_with_their_prompt(folder: Path) -> None:
    embedder = embedders.embedder(f"local:{folder}")
    # Two special tokens, and three words before each passage: "the text :", of which one is unknown.
    fits, long = "costs " * (LIMIT - 5), "costs " * (LIMIT - 4)
    assert embedder.cut([fits, long, *TEXTS]) == 2
    assert embedder.cut([]) == 0
    assert embedder.reads() == LIMIT - 5
    # The tokenizer tells; the model, which may be large, was not loaded.
    assert local._load.cache_info().currsize == 0
    known = local.load(folder, "known", "tiny", "fp32")
    assert (known.cut([fits, long, *CLEAN]), known.reads()) == (2, LIMIT - 5)
    assert [embedder.tokens(text) for text in (fits, long, "", "the landlord\ud800")] == [LIMIT - 5, LIMIT - 4, 0, 3]
    first, second = embedder.passages([long, f"{long} and the landlord"], ignore)
    assert np.abs(first - second).max() < 1e-6


@pytest.mark.parametrize("limit", [7, 64, 5_000])
def test_what_a_model_reads_is_reported_without_loading_it_as_its_library_has_it(limit: int, folder: Path) -> None:
    change(folder / "tokenizer_config.json", model_max_length=limit)
    texts = ["costs " * n for n in (1, 2, 3, 18, 19, 20, 54, 55, 56, 58, 59, 60, 61, 5_100)]
    told = local.reading(folder, "tiny")
    assert told is not None
    known = local.load(folder, f"known {limit}", "tiny", "fp32")
    assert (told.cut(texts), told.reads()) == (known.cut(texts), known.reads())
    assert told.reads() == min(limit, 64) - 5


def test_a_model_whose_files_do_not_tell_what_it_reads_is_loaded(folder: Path) -> None:
    change(folder / "sentence_bert_config.json", do_lower_case=True)
    assert local.reading(folder, "tiny") is None
    assert embedders.embedder(f"local:{folder}").reads() == LIMIT - 5


def test_progress_is_reported_and_the_user_may_leave(folder: Path) -> None:
    heard: list[tuple[int, int]] = []

    def hear(done: int, total: int) -> None:
        heard.append((done, total))
        if done > 20:
            raise Cancelled

    embedder = embedders.embedder(f"local:{folder}")
    with pytest.raises(Cancelled):
        embedder.passages([f"the court held in {i} that {'costs ' * 90}" for i in range(60)], hear)
    assert heard[0] == (0, 60)
    assert heard == sorted(heard)
    assert 20 < heard[-1][0] < 40


def test_one_model_is_loaded_once_and_the_next_takes_its_place(folder: Path, tmp_path: Path) -> None:
    other = shutil.copytree(folder, tmp_path / "second")
    for place in (folder, folder, other, other):
        embedders.embedder(f"local:{place}").passages(["costs"], ignore)
        embedders.embedder(f"local:{place}").cut(["costs"])
    found = local._load.cache_info()
    assert (found.misses, found.currsize) == (2, 1)


def test_a_signature_follows_the_files_and_holds_no_path(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    embedder = embedders.embedder(f"local:{folder};precision=fp32")
    seen = {embedder.signature}
    assert str(folder.parent) not in embedder.signature
    assert embedder.signature.startswith("local:tiny(")
    moved = shutil.copytree(folder, folder.parent / "elsewhere" / "tiny")
    assert embedders.embedder(f"local:{moved};precision=fp32").signature in seen
    seen.add(embedders.embedder(f"local:{folder};precision=bf16").signature)
    change(folder / "config_sentence_transformers.json", prompts={"query": "another: "})
    seen.add(embedder.signature)
    change(folder / "1_Pooling" / "config.json", pooling_mode="cls", pooling_mode_cls_token=True)
    seen.add(embedder.signature)
    tensors = load_file(folder / "model.safetensors")
    save_file({name: tensor * 1.5 for name, tensor in tensors.items()}, folder / "model.safetensors", {"format": "pt"})
    seen.add(embedder.signature)
    assert len(seen) == 5


def test_a_model_that_changed_on_disk_is_loaded_again(folder: Path) -> None:
    embedder = embedders.embedder(f"local:{folder};precision=fp32")
    before = embedder.questions(["costs"], ignore)
    change(folder / "config_sentence_transformers.json", prompts={"query": "the landlord: "})
    assert not _near(before, embedder.questions(["costs"], ignore))


COMMIT = "0123456789abcdef0123456789abcdef01234567"


def _in_hub_cache(folder: Path, tmp_path: Path) -> None:
    repository = tmp_path / "hub" / "models--some--model"
    shutil.copytree(folder, repository / "snapshots" / COMMIT)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)


def test_a_hub_id_is_looked_for_on_this_machine_and_never_downloaded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reach(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.getaddrinfo", reach)
    missing = embedders.embedder("local:some/model@v1").unavailable()
    assert "run `.venv/bin/hf download some/model --revision v1` once" in missing
    with pytest.raises(ScorerUnavailable, match="is not on this machine"):
        embedders.embedder("local:some/model").passages(TEXTS, ignore)
    _in_hub_cache(folder, tmp_path)
    found = embedders.embedder("local:some/model;precision=fp32")
    assert found.signature == f"local:some/model({COMMIT[:12]})|fp32|its own prompts|length 1"
    assert found.unavailable() == ""
    assert _near(found.passages(TEXTS, ignore), embedders.embedder(f"local:{folder};precision=fp32").passages(TEXTS, ignore))
    assert embedders.embedder(f"local:some/model@{COMMIT}").unavailable() == ""
    assert "is not on this machine" in embedders.embedder("local:some/model@other").unavailable()


def _modules(folder: Path, entry: dict[str, Any]) -> None:
    found = json.loads((folder / "modules.json").read_text(encoding="utf-8"))
    (folder / "modules.json").write_text(json.dumps([*found, {"idx": 9, "name": "9", **entry}]), encoding="utf-8")


def _pickled_layer(folder: Path) -> None:
    import torch

    (folder / "9_Dense").mkdir()
    torch.save({}, folder / "9_Dense" / "pytorch_model.bin")
    _modules(folder, {"path": "9_Dense", "type": "sentence_transformers.models.Dense"})


def _code(folder: Path) -> None:
    (folder / "own.py").write_text("from pathlib import Path\nPath(__file__).with_name('was_run').touch()\nclass Own: ...\n")
    _modules(folder, {"path": "", "type": "own.Own"})


BEFORE: dict[str, tuple[Damage, str]] = {
    "no modules": (without("modules.json"), "has no modules.json, so it is not known how"),
    "no folder": (shutil.rmtree, "There is no folder 'tiny' with a modules.json"),
    "deep JSON": (write("modules.json", "[" * 200_000), "modules.json of tiny cannot be read"),
    "an empty list": (write("modules.json", "[]"), "names no modules inside its folder"),
    "a path out of it": (
        lambda folder: _modules(folder, {"path": "../other", "type": "sentence_transformers.models.Dense"}),
        "names no modules inside its folder",
    ),
    "code of its own": (_code, "asks in its modules.json to run code of its own"),
    "an auto_map": (lambda f: change(f / "config.json", auto_map={"AutoModel": "own.Own"}), "in its config.json to run code"),
    "a tokenizer's auto_map": (
        lambda f: change(f / "tokenizer_config.json", auto_map={"AutoTokenizer": "own.Own"}),
        "in its tokenizer_config.json to run code",
    ),
    "a pickle": (as_a_pickle, "holds a pickle (pytorch_model.bin)"),
    "a pickled layer": (_pickled_layer, "holds a pickle (pytorch_model.bin)"),
    "no weights": (without("model.safetensors"), "has no model.safetensors"),
    "no tokenizer": (without("tokenizer.json"), "without tokenizer.json or a vocabulary"),
}
LATER: dict[str, tuple[Damage, str]] = {
    "damaged weights": (write("model.safetensors", "x" * 100), "cannot be read"),
    "a layer missing": (without_a_layer, "lacks 1 layers, such as 'encoder.layer.1.output.dense.weight'"),
    "NaN": (with_nan, "vectors that hold NaN"),
    "a damaged tokenizer": (write("tokenizer.json", "{}"), "cannot be read"),
    "a folder for a file": (
        lambda folder: (folder / "model.safetensors.index.json").mkdir(),
        "The folder of tiny cannot be read (IsADirectoryError)",
    ),
}


@pytest.mark.parametrize("what", [*BEFORE, *LATER])
def test_a_folder_that_is_not_what_it_should_be_is_refused_in_one_sentence(what: str, folder: Path) -> None:
    damage, words = (BEFORE | LATER)[what]
    damage(folder)
    embedder = embedders.embedder(f"local:{folder}")
    with pytest.raises(ScorerUnavailable) as refused:
        embedder.passages(["costs"], ignore)
    said = str(refused.value)
    assert words in said
    assert said.endswith(".")
    assert ". " not in said
    assert str(folder.parent) not in said
    assert embedder.unavailable() == (said if what in BEFORE else "")
    assert embedder.signature.startswith("local:tiny(")
    assert not (folder / "was_run").exists()


@pytest.mark.parametrize("place", ["~nosuchuser/x", "a\0b", "/", "../x", "a/b@../../etc"])
def test_what_is_no_place_of_a_model_is_named(place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert "with a modules.json; give a folder or a hub id." in embedders.embedder(f"local:{place}").unavailable()
