"""The paper's cross-encoders by the path that loads the published weights, on tiny models in the publishers' layouts."""

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from sentencepiece import SentencePieceProcessor
from transformers import (
    BertForSequenceClassification,
    DebertaV2ForSequenceClassification,
    RobertaForSequenceClassification,
    T5ForTokenClassification,
)

import scorers
from evaluation.errors import Cancelled
from evaluation.places import data_folder
from evaluation.progress import listening
from evaluation.types import Case, Judgement, Status
from scorers import _checkpoint, _onnx, _pair_models, context_nli, factkb, hem_v1, hem_v2
from scorers._encoders import Pair
from scorers._pair_method import PairMethod
from tests.scorers import tiny

MakeCase = Callable[..., Case]
Check = Callable[[Judgement, Case], None]
Grid = NDArray[np.float64]

RESPONSE = [
    "The court of appeal dismissed the appeal in 2003.",
    "The landlord was awarded costs of 4,500 euros.",
    "The notice was served too late.",
]
CONTEXT = [
    "The court of appeal dismissed the appeal in 2003.",
    "It held that the notice was served too late.",
    "Costs of 4,500 euros were awarded to the tenant.",
    "The landlord had acted unreasonably.",
    "The tenant was awarded costs, because the landlord had acted unreasonably.",
]
PASSAGES = (" ".join(CONTEXT[:4]), CONTEXT[4])


class Published(NamedTuple):
    """How a model is used, from its model card: folders, architecture, which text goes first, and which output is support."""

    weights: str
    tokenizer: str
    architecture: Any
    context_first: bool
    output: int | None
    limit: int


PUBLISHED = {
    "hem_v1": Published(hem_v1.WEIGHTS.name, hem_v1.WEIGHTS.name, DebertaV2ForSequenceClassification, True, None, 512),
    "hem_v2": Published(hem_v2.WEIGHTS.name, hem_v2.FOUNDATION.name, T5ForTokenClassification, True, 1, 2048),
    "factkb": Published(factkb.WEIGHTS.name, factkb.TOKENIZER.name, RobertaForSequenceClassification, False, 1, 512),
    "context_nli": Published(
        context_nli.WEIGHTS.name, context_nli.WEIGHTS.name, DebertaV2ForSequenceClassification, False, 0, 512
    ),
    "grounding_classifier": Published(
        "grounding-classifier", "grounding-classifier", BertForSequenceClassification, True, None, 128
    ),
}
METHODS = tuple(PUBLISHED)
TWO_TEXTS = tuple(method for method in METHODS if method != "hem_v2")


class Reference:
    """A method's model in plain torch, one pair at a time."""

    def __init__(self, models: Path, method: str) -> None:
        self.published = PUBLISHED[method]
        folder, tokenizer = models / self.published.weights, models / self.published.tokenizer
        config = self.published.architecture.config_class.from_pretrained(tokenizer if method == "hem_v2" else folder)
        if method == "hem_v2":
            config.num_labels = 2
        if (folder / "model.safetensors").is_file():
            state = {name.removeprefix("t5."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
        else:
            state = torch.load(folder / "pytorch_model.bin", weights_only=True)
        if method == "hem_v2":
            state["transformer.encoder.embed_tokens.weight"] = state["transformer.shared.weight"]
        state.pop("roberta.embeddings.position_ids", None)
        self.model = self.published.architecture(config).eval()
        self.model.load_state_dict(state, strict=True)
        self.tokenizer = tiny.tokenizer_of(tokenizer)

    def support(
        self, claim: str, context: str, *, swapped: bool = False, output: int | None = None, prompt: str = tiny.PROMPT
    ) -> float:
        """The published support of a pair; or what the other order of the texts, or another output, would give."""
        a, b = (context, claim) if self.published.context_first != swapped else (claim, context)
        with torch.inference_mode():
            if self.published.architecture is T5ForTokenClassification:
                place, second = prompt.index("{text1}"), prompt.index("{text2}")
                filled = prompt[:place] + a + prompt[place + 7 : second] + b + prompt[second + 7 :]
                inputs = self.tokenizer(filled, return_tensors="pt")
                hidden = self.model.transformer(input_ids=inputs["input_ids"]).last_hidden_state
                logits = self.model.classifier(hidden[0, 0])
            else:
                inputs = self.tokenizer(a, b, truncation=True, max_length=self.published.limit, return_tensors="pt")
                logits = self.model(**inputs).logits[0]
        if self.published.output is None:
            return float(torch.sigmoid(logits[0]))
        return float(torch.softmax(logits, dim=0)[self.published.output if output is None else output])

    def grid(self, claims: Sequence[str], contexts: Sequence[str], **how: Any) -> Grid:
        return np.array([[self.support(claim, context, **how) for context in contexts] for claim in claims])


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """Threads cost more than they give where models are this small."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    root = tmp_path_factory.mktemp("models")
    tiny.deberta(root / hem_v1.WEIGHTS.name, 1)
    tiny.t5(root / hem_v2.WEIGHTS.name, root / hem_v2.FOUNDATION.name)
    tiny.roberta(root / factkb.WEIGHTS.name, root / factkb.TOKENIZER.name)
    names = {"id2label": {0: "entailment", 1: "contradiction"}, "label2id": {"entailment": 0, "contradiction": 1}}
    tiny.deberta(root / context_nli.WEIGHTS.name, 2, **names)
    tiny.bert_cross_encoder(root / "grounding-classifier")
    return root


@pytest.fixture(scope="module")
def references(saved: Path) -> dict[str, Reference]:
    return {method: Reference(saved, method) for method in METHODS}


@pytest.fixture(autouse=True)
def models(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_models_loaded: None) -> Path:
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(saved))
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    return saved


@pytest.fixture
def copied(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The models' folders to change, where the methods look for them."""
    root = shutil.copytree(models, tmp_path / "models")
    monkeypatch.setenv("GROUNDSCOPE_MODELS", str(root))
    return root


def _scorer(method: str, **parameters: Any) -> PairMethod:
    scorer = scorers.load(method, **{"precision": "fp32", **parameters})
    assert isinstance(scorer, PairMethod)
    return scorer


def _matrix(judgement: Judgement) -> Grid:
    assert judgement.status is Status.SCORED, judgement.note
    assert judgement.matrix is not None
    return judgement.matrix.astype(np.float64)


def _letters(count: int, seed: int = 0) -> list[str]:
    """Words that every tiny vocabulary has as one token each, in no order that windows could share."""
    return [str(letter) for letter in np.random.default_rng(seed).choice(["a", "c"], count)]


@pytest.mark.parametrize("method", METHODS)
def test_matrix_and_supports_are_those_of_the_published_model(
    method: str, references: dict[str, Reference], case: MakeCase, check: Check
) -> None:
    example = case("# The decision\n\n" + " ".join(RESPONSE), *PASSAGES)
    judgement = _scorer(method).score(example)
    check(judgement, example)
    matrix, expected = _matrix(judgement), references[method].grid(RESPONSE, CONTEXT)
    assert np.isnan(matrix[0]).all()
    assert np.abs(matrix[1:] - expected).max() < 1e-5
    supports = [s.support for s in judgement.sentences]
    assert supports[0] is None
    assert supports[1:] == pytest.approx(expected.max(axis=1).tolist(), abs=1e-5)
    assert judgement.support == pytest.approx(expected.max(axis=1).min(), abs=1e-5)
    assert judgement.context_seen == 1.0
    assert judgement.note == ""
    assert judgement.cached == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_the_other_order_or_output_would_give_other_numbers(method: str, references: dict[str, Reference]) -> None:
    reference = references[method]
    expected = reference.grid(RESPONSE, CONTEXT)
    others = [reference.grid(RESPONSE, CONTEXT, swapped=True)]
    if reference.published.output is not None:
        others.append(reference.grid(RESPONSE, CONTEXT, output=1 - reference.published.output))
    for other in others:
        # The first sentence also stands in the context, and of two equal texts the order says nothing.
        different = np.abs(other - expected)[1:]
        assert different.min() > 1e-4
        assert different.max() > 1e-2


@pytest.mark.parametrize("method", METHODS)
def test_the_mean_of_sentence_supports_is_the_response_s_support_where_chosen(
    method: str, references: dict[str, Reference], case: MakeCase
) -> None:
    least, mean = (_scorer(method, aggregation=rule).score(case(" ".join(RESPONSE), *PASSAGES)) for rule in ("min", "mean"))
    supports = references[method].grid(RESPONSE, CONTEXT).max(axis=1)
    assert least.support == pytest.approx(supports.min(), abs=1e-5)
    assert mean.support == pytest.approx(supports.mean(), abs=1e-5)
    assert least.sentences == mean.sentences
    assert _scorer(method).signature != _scorer(method, aggregation="mean").signature


UNITS: dict[str, list[tuple[str, list[int]]]] = {
    "sentence": [(sentence, [j]) for j, sentence in enumerate(CONTEXT)],
    "window": [
        (f"{CONTEXT[0]} {CONTEXT[1]}", [0, 1]),
        (f"{CONTEXT[1]} {CONTEXT[2]}", [1, 2]),
        (f"{CONTEXT[2]} {CONTEXT[3]}", [2, 3]),
        (CONTEXT[4], [4]),
    ],
    "passage": [(PASSAGES[0], [0, 1, 2, 3]), (PASSAGES[1], [4])],
}


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("method", METHODS)
def test_a_context_sentence_has_the_support_of_the_best_unit_that_holds_it(
    method: str, unit: str, references: dict[str, Reference], case: MakeCase, check: Check
) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    judgement = _scorer(method, context_unit=unit, window=2).score(example)
    check(judgement, example)
    grid = references[method].grid(RESPONSE, [text for text, _ in UNITS[unit]])
    expected = np.zeros((len(RESPONSE), len(CONTEXT)))
    for column, (_, members) in enumerate(UNITS[unit]):
        for member in members:
            expected[:, member] = np.maximum(expected[:, member], grid[:, column])
    assert np.abs(_matrix(judgement) - expected).max() < 1e-5
    assert judgement.support == pytest.approx(grid.max(axis=1).min(), abs=1e-5)
    assert judgement.context_seen == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_the_full_context_is_one_text_and_names_no_context_sentence(
    method: str, references: dict[str, Reference], case: MakeCase, check: Check
) -> None:
    example = case("# The decision\n\n" + " ".join(RESPONSE), f"  {PASSAGES[0]}\n", " \n", PASSAGES[1])
    judgement = _scorer(method, context_unit="full").score(example)
    check(judgement, example)
    expected = references[method].grid(RESPONSE, ["\n\n".join(PASSAGES)])[:, 0]
    assert [s.support for s in judgement.sentences[1:]] == pytest.approx(expected.tolist(), abs=1e-5)
    assert judgement.sentences[0].support is None
    assert judgement.support == pytest.approx(expected.min(), abs=1e-5)
    assert judgement.matrix is None
    assert all(s.matches == () for s in judgement.sentences)
    assert judgement.context_seen == 1.0


@pytest.mark.parametrize("method", TWO_TEXTS)
def test_a_context_longer_than_the_model_reads_counts_with_its_best_window(
    method: str, references: dict[str, Reference], case: MakeCase
) -> None:
    reference = references[method]
    short = method == "grounding_classifier"
    # A claim that leaves room for 100 tokens in the short model and for 400 in the others.
    room, special = 100 if short else 400, 4 if method == "factkb" else 3
    claim = " ".join(_letters(reference.published.limit - special - room, seed=1))
    fits, one_more = (room, [(0, room)]), (room + 1, [(0, room), (1, room + 1)])
    far_more = (230, [(0, 100), (50, 150), (100, 200), (130, 230)]) if short else (730, [(0, 400), (200, 600), (330, 730)])
    for count, windows in [fits, one_more, far_more]:
        words = _letters(count, seed=2)
        # Inside a text, RoBERTa's words begin with their space.
        pieces = [" " * (start > 0) + " ".join(words[start:end]) for start, end in windows]
        lengths = {len(reference.tokenizer(claim, piece)["input_ids"]) for piece in pieces}
        assert lengths == {reference.published.limit}
        expected = reference.grid([claim], pieces)[0]
        assert np.ptp(expected) > 1e-4 or len(windows) == 1
        judgement = _scorer(method, context_unit="passage").score(case(claim, " ".join(words)))
        assert judgement.support == pytest.approx(expected.max(), abs=1e-5)
        assert judgement.context_seen == 1.0
        assert judgement.note == ""


def _prompt_s_own_tokens(reference: Reference) -> int:
    return len(reference.tokenizer(tiny.PROMPT.format(text1="", text2=""))["input_ids"])


def test_hem_v2_reads_a_long_context_in_windows(references: dict[str, Reference], monkeypatch: pytest.MonkeyPatch) -> None:
    reference = references["hem_v2"]
    claim, words = " ".join(_letters(40, seed=1)), ["a"] * 300 + ["c"] * 300
    # Four tokens stay free, because a piece may be cut into more tokens beside the prompt's words than alone.
    monkeypatch.setattr(hem_v2, "LIMIT", _prompt_s_own_tokens(reference) + 40 + 4 + 400)
    pieces = [" ".join(words[start : start + 400]) for start in (0, 200)]
    expected = reference.grid([claim], pieces)[0]
    scores = _scorer("hem_v2").pairs([Pair(claim, " ".join(words))])
    assert scores.support[0] == pytest.approx(expected.max(), abs=1e-5)
    assert np.ptp(expected) > 1e-3
    assert not scores.cut[0]


def test_hem_v2_s_windows_fill_2048_tokens(references: dict[str, Reference]) -> None:
    encoder = _scorer("hem_v2")._load().encoder
    own = _prompt_s_own_tokens(references["hem_v2"])
    fits, longer = (Pair("a", " ".join(_letters(2048 - own - 1 + more))) for more in (0, 1))
    assert [len(w.ids) for w in encoder.encode([fits])[0].windows] == [2048]
    assert [len(w.ids) for w in encoder.encode([longer])[0].windows] == [2044, 2044]


@pytest.mark.parametrize("method", METHODS)
def test_a_claim_of_10_000_tokens_is_cut_at_its_end(
    method: str, references: dict[str, Reference], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hem_v2, "LIMIT", 512)
    reference, context, words = references[method], " ".join(_letters(60, seed=3)), _letters(10_000, seed=4)
    pair = Pair(" ".join(words), context)
    scores = _scorer(method).pairs([pair, Pair(RESPONSE[0], context)])
    assert scores.cut.tolist() == [True, False]
    limit, own = min(512, reference.published.limit), {"factkb": 4, "hem_v2": _prompt_s_own_tokens(references["hem_v2"])}
    room = limit - own.get(method, 3)
    # What the context leaves is the claim's; in a prompt, half of the room.
    kept = " ".join(words[: room // 2 if method == "hem_v2" else max(room // 2, room - 60)])
    (window,) = _scorer(method)._load().encoder.encode([pair])[0].windows
    if method == "hem_v2":
        assert window.ids.tolist() == reference.tokenizer(tiny.PROMPT.format(text1=context, text2=kept))["input_ids"]
    else:
        texts = (context, kept) if reference.published.context_first else (kept, context)
        assert window.ids.tolist() == reference.tokenizer(*texts)["input_ids"]
        assert len(window.ids) == limit
    expected = [reference.support(kept, context), reference.support(RESPONSE[0], context)]
    assert scores.support.tolist() == pytest.approx(expected, abs=1e-5)


def test_a_sentence_longer_than_the_model_reads_is_named_in_the_note(case: MakeCase) -> None:
    response = f"{' '.join(_letters(990))}.\n\n{RESPONSE[1]}"
    judgement = _scorer("hem_v1").score(case(response, *PASSAGES))
    assert len(judgement.sentences) == 2
    assert judgement.note == "1 of 2 response sentences are longer than the model reads; their ends were left out."
    assert _scorer("hem_v1").score(case(RESPONSE[1], *PASSAGES)).note == ""


def test_a_claim_of_10_000_chinese_characters_scores(case: MakeCase) -> None:
    scorer = _scorer("grounding_classifier")
    assert scorer.pairs([Pair("法" * 10_000, CONTEXT[0])]).cut.all()
    judgement = scorer.score(case("法" * 10_000, *PASSAGES))
    assert judgement.status is Status.SCORED
    assert judgement.note.startswith("5 of 5 response sentences are longer than the model reads")


@pytest.mark.parametrize("method", METHODS)
def test_pruning_reads_the_nearest_units_of_each_sentence_only(
    method: str, references: dict[str, Reference], case: MakeCase
) -> None:
    # The nearest one of a sentence that the context holds is that sentence, whatever the embedding.
    claims = [CONTEXT[0], CONTEXT[2]]
    scorer = _scorer(method, prune=1)
    judgement = scorer.score(case("# The decision\n\n" + " ".join(claims), *PASSAGES))
    expected = np.full((3, 5), np.nan)
    expected[1, 0] = references[method].support(CONTEXT[0], CONTEXT[0])
    expected[2, 2] = references[method].support(CONTEXT[2], CONTEXT[2])
    matrix = _matrix(judgement)
    assert np.isnan(matrix).tolist() == np.isnan(expected).tolist()
    assert np.nanmax(np.abs(matrix - expected)) < 1e-5
    assert judgement.support == pytest.approx(np.nanmin(expected), abs=1e-5)
    assert judgement.context_seen == pytest.approx((len(CONTEXT[0]) + len(CONTEXT[2])) / sum(map(len, CONTEXT)))
    assert judgement.note == "Of each sentence only the 1 nearest context units were read."
    assert [[m.support for m in s.matches] for s in judgement.sentences[1:]] == [
        [pytest.approx(expected[1, 0], abs=1e-5)],
        [pytest.approx(expected[2, 2], abs=1e-5)],
    ]


def test_pruning_to_k_units_gives_the_same_numbers_for_those(case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    everything = _matrix(_scorer("hem_v1").score(example))
    matrix = _matrix(_scorer("hem_v1", prune=3).score(example))
    assert (~np.isnan(matrix)).sum(axis=1).tolist() == [3, 3, 3]
    assert np.nanmax(np.abs(matrix - everything)) < 1e-6


def test_pruning_to_as_many_units_as_there_are_reads_all_and_says_nothing(case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    judgement = _scorer("hem_v1", prune=5).score(example)
    assert np.array_equal(_matrix(judgement), _matrix(_scorer("hem_v1").score(example)))
    assert judgement.note == ""


def test_every_parameter_and_what_prunes_is_in_the_signature() -> None:
    changes: list[dict[str, Any]] = [
        {},
        {"precision": "bf16"},
        {"precision": "int8"},
        {"context_unit": "window"},
        {"context_unit": "window", "window": 2},
        {"aggregation": "mean"},
        {"prune": 2},
        {"prune": 3},
    ]
    signatures = {_scorer(method, **change).signature for method in METHODS for change in changes}
    assert len(signatures) == len(METHODS) * len(changes)
    assert "all-MiniLM-L6-v2" in _scorer("hem_v1", prune=2).signature
    assert "all-MiniLM-L6-v2" not in _scorer("hem_v1").signature


def test_5000_context_sentences_score_with_pruning(case: MakeCase) -> None:
    # Few of them differ: what is long here is the matrix, not the wait.
    sentences = [f"Clause {i % 50} of the lease was served too late by the tenant." for i in range(5_000)]
    judgement = _scorer("hem_v1", prune=2).score(case(f"{sentences[7]} {sentences[31]}", *("\n".join(sentences),)))
    matrix = _matrix(judgement)
    assert matrix.shape == (2, 5_000)
    assert np.flatnonzero(~np.isnan(matrix[0])).tolist() == [7, 57]
    assert np.flatnonzero(~np.isnan(matrix[1])).tolist() == [31, 81]
    assert 0.0 < judgement.context_seen < 0.01


@pytest.mark.parametrize("method", METHODS)
def test_bf16_stays_within_five_hundredths(method: str, case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    exact, rounded = (_matrix(_scorer(method, precision=precision).score(example)) for precision in ("fp32", "bf16"))
    assert 0.0 < np.abs(exact - rounded).max() < 0.05


@pytest.mark.parametrize("method", ["hem_v1", "grounding_classifier"])
def test_int8_stays_within_a_tenth_and_is_made_once(method: str, case: MakeCase, monkeypatch: pytest.MonkeyPatch) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    exact, first = (_matrix(_scorer(method, precision=precision).score(example)) for precision in ("fp32", "int8"))
    assert 0.0 < np.abs(exact - first).max() < 0.1
    assert len(list((data_folder() / "int8").iterdir())) == 1
    monkeypatch.setattr(_pair_models, "_loaded", {})
    monkeypatch.setattr(_onnx, "_make", lambda *_: pytest.fail("it was made again"))
    assert np.array_equal(_matrix(_scorer(method, precision="int8").score(example)), first)


def test_hem_v2_never_runs_the_code_beside_its_weights(copied: Path, case: MakeCase) -> None:
    folder = copied / hem_v2.WEIGHTS.name
    assert "auto_map" in json.loads((folder / "config.json").read_text())
    assert _scorer("hem_v2").score(case(RESPONSE[0], *PASSAGES)).status is Status.SCORED
    assert not list(copied.rglob("was_run"))
    assert not list(copied.rglob("__pycache__"))
    # It would have left its mark.
    code = folder / "configuration_hhem_v2.py"
    exec(compile(code.read_text(), code, "exec"), {"__file__": str(code)})  # noqa: S102 - written by tiny.py
    assert (folder / "was_run").exists()


def test_hem_v2_takes_its_prompt_from_the_published_file(copied: Path, references: dict[str, Reference], case: MakeCase) -> None:
    prompt = "<pad> Determine if the hypothesis is true given the premise?\n\nPremise: {text1}\n\nHypothesis: {text2}"
    code = copied / hem_v2.WEIGHTS.name / "configuration_hhem_v2.py"
    code.write_text(f"class HHEMv2Config:\n    other: str = 'x {{text2}}'\n    prompt: str = {prompt!r}\n", encoding="utf-8")
    expected = references["hem_v2"].grid(RESPONSE, CONTEXT, prompt=prompt)
    assert np.abs(_matrix(_scorer("hem_v2").score(case(" ".join(RESPONSE), *PASSAGES))) - expected).max() < 1e-5
    assert np.abs(references["hem_v2"].grid(RESPONSE, CONTEXT) - expected).max() > 1e-3


SHARED, EMBEDDED = "transformer.shared.weight", "transformer.encoder.embed_tokens.weight"


@pytest.mark.parametrize("prefix", ["t5.", ""])
@pytest.mark.parametrize("names", [(SHARED,), (EMBEDDED,), (SHARED, EMBEDDED)])
def test_hem_v2_reads_its_keys_with_and_without_the_wrapper_s_prefix_and_the_tied_matrix_under_either_name(
    prefix: str, names: tuple[str, ...], copied: Path, references: dict[str, Reference]
) -> None:
    file = copied / hem_v2.WEIGHTS.name / "model.safetensors"
    tensors = {name.removeprefix("t5."): tensor for name, tensor in load_file(file).items()}
    matrix = tensors.pop(SHARED)
    tensors |= {name: matrix.clone() for name in names}
    save_file({f"{prefix}{name}": tensor for name, tensor in tensors.items()}, file, {"format": "pt"})
    found = _scorer("hem_v2").pairs([Pair(RESPONSE[0], CONTEXT[1])]).support[0]
    assert found == pytest.approx(references["hem_v2"].support(RESPONSE[0], CONTEXT[1]), abs=1e-5)


@pytest.mark.parametrize(("method", "base"), [("hem_v1", "deberta"), ("factkb", "roberta"), ("context_nli", "deberta")])
def test_the_position_buffer_of_old_files_is_accepted(method: str, base: str, copied: Path) -> None:
    file, buffer = copied / PUBLISHED[method].weights / "pytorch_model.bin", f"{base}.embeddings.position_ids"
    tensors = torch.load(file, weights_only=True)
    assert (buffer in tensors) == (method == "factkb")
    torch.save({**tensors, buffer: torch.arange(512).unsqueeze(0)}, file)
    _scorer(method).prepare()


def _with_tokenizer_json(models: Path) -> None:
    """Write DeBERTa's tokenizer.json as it is published, with the vocabulary's normaliser, in the place of spm.model."""
    from tokenizers import Regex, normalizers
    from transformers.convert_slow_tokenizer import SentencePieceExtractor

    folder = models / hem_v1.WEIGHTS.name
    backend = tiny.tokenizer_of(folder).backend_tokenizer
    charsmap = SentencePieceExtractor(str(folder / "spm.model")).proto.normalizer_spec.precompiled_charsmap
    backend.normalizer = normalizers.Sequence(
        [normalizers.Strip(), normalizers.Precompiled(charsmap), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    backend.save(str(folder / "tokenizer.json"))
    (folder / "spm.model").unlink()


@pytest.mark.parametrize("file", ["spm.model", "tokenizer.json"])
def test_either_form_of_the_tokenizer_gives_the_published_numbers(
    file: str, copied: Path, references: dict[str, Reference], case: MakeCase
) -> None:
    if file == "tokenizer.json":
        _with_tokenizer_json(copied)
    assert (copied / hem_v1.WEIGHTS.name / file).is_file()
    matrix = _matrix(_scorer("hem_v1").score(case(" ".join(RESPONSE), *PASSAGES)))
    assert np.abs(matrix - references["hem_v1"].grid(RESPONSE, CONTEXT)).max() < 1e-5


LEGAL = "The\u00a0tenant’s costs of\u202f4,500 € (§\u00a03, ﬁrst …)  were ½ of the landlord’s:\tＡ №\u00a05\nand\u2003ｂ."


@pytest.mark.parametrize(
    ("folder", "vocabulary", "as_json"),
    [
        (hem_v1.WEIGHTS.name, "spm.model", False),
        (hem_v1.WEIGHTS.name, "spm.model", True),
        (hem_v2.FOUNDATION.name, "spiece.model", False),
    ],
)
def test_legal_signs_are_read_as_sentencepiece_reads_them(folder: str, vocabulary: str, as_json: bool, copied: Path) -> None:
    pieces = SentencePieceProcessor(model_file=str(copied / folder / vocabulary))
    if as_json:
        _with_tokenizer_json(copied)
    size = json.loads((copied / folder / "config.json").read_text())["vocab_size"]
    tokenizer = _checkpoint.load_tokenizer(copied / folder, folder, size)
    for text in (LEGAL, *RESPONSE, *CONTEXT):
        assert tokenizer(text, add_special_tokens=False)["input_ids"] == pieces.encode(text), text


def test_a_no_break_space_is_a_space_for_the_sentencepiece_models() -> None:
    for method in ("hem_v1", "hem_v2", "context_nli"):
        found = _scorer(method).pairs([Pair(RESPONSE[1], CONTEXT[2]), Pair(RESPONSE[1].replace(" ", "\u00a0"), CONTEXT[2])])
        assert found.support[0] == found.support[1]


@pytest.mark.parametrize("method", METHODS)
def test_special_tokens_in_a_text_are_plain_text(method: str, models: Path, references: dict[str, Reference]) -> None:
    reference, encoder = references[method], _scorer(method)._load().encoder
    special = [token for token in reference.tokenizer.all_special_tokens if token not in ("[UNK]", "<unk>")]
    assert {"[SEP]", "</s>"} & set(special)
    ids = set(reference.tokenizer.convert_tokens_to_ids(special))

    def count(pair: Pair) -> int:
        (window,) = encoder.encode([pair])[0].windows
        return sum(i in ids for i in window.ids.tolist())

    plain = count(Pair(RESPONSE[0], CONTEXT[0]))
    for token in [*special, "[SEP]", "</s>", "<pad>", "{text1}", "{text2}"]:
        claim, context = f"The court {token} dismissed{token}.", f"{token} The appeal {token}{token} was late {{text2}}"
        assert count(Pair(claim, context)) == plain
        wide = str.maketrans("[]<>/SEPpads", "［］＜＞／ＳＥＰｐａｄｓ")
        assert count(Pair(claim.translate(wide), context.translate(wide))) == plain
        apart = f"{token[0]} {token[1:]}" if token in special else token
        expected = reference.support(claim.replace(token, apart), context.replace(token, apart))
        assert _scorer(method).pairs([Pair(claim, context)]).support[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("method", METHODS)
def test_two_threads_at_once_get_what_one_gets(method: str, case: MakeCase) -> None:
    examples = [case(" ".join(RESPONSE), *PASSAGES), case(" ".join(CONTEXT), *RESPONSE)]
    scorer = _scorer(method)
    alone = [_matrix(scorer.score(example)) for example in examples]
    _pair_models._loaded.clear()
    barrier = Barrier(2)

    def score(example: Case) -> list[Grid]:
        barrier.wait()
        return [_matrix(_scorer(method).score(example)) for _ in range(4)]

    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(score, examples))
    for expected, found in zip(alone, together, strict=True):
        assert all(np.array_equal(expected, matrix) for matrix in found)


def test_a_second_thread_waits_while_a_model_is_in_use(case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *PASSAGES)
    scorer = _scorer("hem_v1")
    expected = _matrix(scorer.score(example))
    with ThreadPoolExecutor(1) as pool:
        others: list[Future[Judgement]] = []

        def listener(done: int, total: int) -> None:
            if not others:
                others.append(pool.submit(scorer.score, example))
                with pytest.raises(TimeoutError):
                    others[0].result(timeout=0.3)

        with listening(listener):
            assert np.array_equal(_matrix(scorer.score(example)), expected)
        assert np.array_equal(_matrix(others[0].result(timeout=60)), expected)


@pytest.mark.parametrize("method", METHODS)
def test_a_score_can_be_cancelled_in_the_middle_and_the_next_one_is_right(method: str, case: MakeCase) -> None:
    example = case(" ".join(RESPONSE), *(" ".join(_letters(60, seed)) for seed in range(20)))
    scorer = _scorer(method)
    expected = _matrix(scorer.score(example))
    reports: list[tuple[int, int]] = []

    def listener(done: int, total: int) -> None:
        reports.append((done, total))
        if len(reports) == 2:
            raise Cancelled

    with listening(listener), pytest.raises(Cancelled):
        scorer.score(example)
    assert len(reports) == 2
    assert 0 == reports[0][0] < reports[1][0] < reports[1][1]
    assert np.array_equal(_matrix(scorer.score(example)), expected)


@pytest.mark.parametrize("method", METHODS)
def test_odd_texts_give_numbers(method: str, case: MakeCase, check: Check) -> None:
    example = case("The cou\ud800rt dismis\udfffsed the appeal.", "a \udcffb", *PASSAGES)
    judgement = _scorer(method).score(example)
    check(judgement, example)
    replaced = _scorer(method).score(case("The cou?rt dismis?sed the appeal.", "a ?b", *PASSAGES))
    assert judgement.support == pytest.approx(replaced.support, abs=1e-6)
    odd = ["", " ", "\n\u3000\u2028", "\x00", "\u200b", ".", "👩🏽‍⚖️", "a" * 700]
    scores = _scorer(method).pairs([Pair(a, b) for a, b in zip(odd, [*odd[3:], *odd[:3]], strict=True)])
    assert np.isfinite(scores.support).all()
    assert _scorer(method).pairs([]).support.shape == (0,)


@pytest.mark.parametrize(
    "parameters",
    [
        {"precision": "fp16"},
        {"context_unit": "page"},
        {"aggregation": "max"},
        {"window": 0},
        {"window": 1.5},
        {"prune": -1},
        {"prune": True},
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(parameters))):
        _scorer("hem_v1", **parameters)
