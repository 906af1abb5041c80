"""The engine for pairs against one pair at a time, and its inputs against what the tokenizers themselves make."""

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation import pair_cache
from evaluation.errors import Cancelled, ScorerUnavailable
from evaluation.keeping import keeping
from evaluation.progress import listening
from scorers import _pairs
from scorers._encoders import Encoded, Encoder, Ids, Pair, Plain, Prompt, TwoTexts, spans
from scorers._pairs import PairModel, PairScores, Supports, Tokens
from tests.scorers import tiny

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 24
PROMPT_LIMIT = 90
PAD = 5
KINDS = ("bert", "roberta", "deberta", "t5")
SPELLED_OUT = "\N{ARABIC LIGATURE SALLALLAHOU ALAYHE WASALLAM}"
"""One sign that T5's normaliser makes eighteen of, in four words."""

quick = settings(
    deadline=None, max_examples=60, derandomize=True, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

words = st.sampled_from([*tiny.TEXT.split(), *"ß İ ﬁ １ é e\u0301 \u200b \xad \0 \ufeff 法院 👩‍⚖️ \n\n \t".split(" ")])
specials = st.sampled_from(
    "[SEP] [CLS] [PAD] [UNK] [MASK] <s> </s> <pad> <unk> <mask> <extra_id_0> ＜/s＞ {text1} {text2}".split()
)
plain_texts = st.lists(words, max_size=12).map(" ".join)
texts = st.lists(words | specials | st.characters() | st.just(SPELLED_OUT), max_size=30).map(" ".join) | st.text(st.characters())


@pytest.fixture(scope="module")
def tokenizers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    tiny.quiet()
    folder = tmp_path_factory.mktemp("tokenizers")
    folders = {
        "bert": tiny.bert_cross_encoder(folder / "bert"),
        "roberta": tiny.roberta(folder / "factkb", folder / "roberta")[1],
        "deberta": tiny.deberta(folder / "deberta", labels=1),
        "t5": tiny.t5(folder / "hem", folder / "t5")[1],
    }
    return {kind: tiny.tokenizer_of(folders[kind]) for kind in KINDS}


@pytest.fixture(scope="module")
def encoders(tokenizers: dict[str, Any]) -> dict[str, Encoder]:
    return {
        "two texts": TwoTexts(tokenizers["bert"], LIMIT, context_first=True),
        "prompt": Prompt(tokenizers["t5"], tiny.PROMPT, PROMPT_LIMIT),
    }


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    yield tmp_path
    pair_cache.default().close()


class Forward:
    """Logits made of the real tokens, their places and their segments; keeps what it was given."""

    def __init__(self) -> None:
        self.batches: list[tuple[Tokens, Tokens, Tokens]] = []

    def __call__(self, ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        self.batches.append((ids, mask, types))
        # What stands where the mask is 0 must not matter, so it is left out row by row.
        return np.array([[_logit(*(a[i][mask[i] == 1] for a in (ids, types)))] for i in range(len(ids))], np.float32)

    @property
    def rows(self) -> int:
        return sum(len(ids) for ids, _, _ in self.batches)


def _logit(ids: Tokens | Ids, types: Tokens | Ids) -> float:
    places = np.arange(1, len(ids) + 1)
    return float((ids * places * (1 + types)).sum() % 101) / 10 - 5


def _alone(encoder: Encoder, pair: Pair) -> tuple[float, bool]:
    """The support of one pair with no engine: its best window's."""
    encoded = encoder.encode([pair])[0]
    encoder.forget()
    return max(1 / (1 + math.exp(-_logit(w.ids, w.types))) for w in encoded.windows), encoded.cut


def _model(
    encoder: Encoder,
    forward: Callable[[Tokens, Tokens, Tokens], Supports] | None = None,
    *,
    pad: int = PAD,
    budget: int = 4 * LIMIT,
    signature: str = "signature",
) -> PairModel:
    return PairModel(
        forward or Forward(), _pairs.sigmoid, encoder, name="the weights", pad=pad, budget=budget, signature=signature
    )


def _same(scores: PairScores, expected: Sequence[tuple[float, bool]]) -> None:
    assert scores.support.dtype == np.float32
    assert scores.support.tolist() == pytest.approx([support for support, _ in expected], abs=1e-6)
    assert scores.cut.tolist() == [cut for _, cut in expected]


@contextmanager
def _chunked(pairs: int, characters: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pairs, "CHUNK", pairs)
        patch.setattr(_pairs, "CHARACTERS", characters)
        yield


@st.composite
def pair_lists(draw: st.DrawFn) -> list[Pair]:
    """Pairs of few texts, so that many are equal or share a text."""
    pool = st.sampled_from(draw(st.lists(texts, min_size=1, max_size=5)))
    return draw(st.lists(st.builds(Pair, pool, pool), max_size=12))


@pytest.mark.parametrize("kind", ["two texts", "prompt"])
@quick
@given(pairs=pair_lists(), chunk=st.integers(1, 5), characters=st.integers(1, 200), budget=st.integers(1, 200))
def test_any_pairs_in_any_order_give_what_each_gives_alone(
    encoders: dict[str, Encoder], kind: str, pairs: list[Pair], chunk: int, characters: int, budget: int
) -> None:
    with _chunked(chunk, characters):
        scores = _model(encoders[kind], budget=budget).score(pairs)
    _same(scores, [_alone(encoders[kind], pair) for pair in pairs])
    assert scores.cached == 0


@quick
@given(pairs=pair_lists(), budget=st.integers(1, 200))
def test_equal_pairs_are_computed_once_within_the_budget(encoders: dict[str, Encoder], pairs: list[Pair], budget: int) -> None:
    encoder, forward = encoders["two texts"], Forward()
    _model(encoder, forward, budget=budget).score(pairs)
    assert forward.rows == sum(len(encoded.windows) for encoded in encoder.encode(list(set(pairs))))
    for ids, mask, types in forward.batches:
        assert ids.shape == mask.shape == types.shape
        assert ids.size <= budget or len(ids) == 1
        assert ids.shape[1] <= LIMIT
        lengths = mask.sum(axis=1)
        assert lengths.max() == ids.shape[1]
        assert mask.tolist() == (np.arange(ids.shape[1]) < lengths[:, None]).tolist()


def test_batches_are_as_full_as_the_budget_allows(encoders: dict[str, Encoder]) -> None:
    forward = Forward()
    _model(encoders["two texts"], forward, budget=100).score([Pair(f"a b c {i}", "d e f") for i in range(10)])
    assert [ids.shape for ids, _, _ in forward.batches] == [(10, 10)]
    _model(encoders["two texts"], forward, budget=99).score([Pair(f"a b c {i}", "d e f") for i in range(10)])
    assert [ids.shape for ids, _, _ in forward.batches[1:]] == [(9, 10), (1, 10)]


def test_a_batch_is_as_wide_as_its_longest_input_of_tokens(encoders: dict[str, Encoder]) -> None:
    forward, pairs = Forward(), [Pair("unknown" * 20, ""), Pair("a b c d", ""), Pair("a b", "")]
    _same(_model(encoders["two texts"], forward).score(pairs), [_alone(encoders["two texts"], pair) for pair in pairs])
    assert [ids.shape for ids, _, _ in forward.batches] == [(3, 7)]


@quick
@given(pairs=pair_lists())
def test_padding_changes_nothing(encoders: dict[str, Encoder], pairs: list[Pair]) -> None:
    encoder, forward = encoders["two texts"], Forward()
    padded = _model(encoder, forward, pad=7, budget=100_000).score(pairs)
    alone = _model(encoder, pad=3, budget=1).score(pairs)
    assert padded.support.tolist() == alone.support.tolist()
    for ids, mask, types in forward.batches:
        assert set(ids[mask == 0].tolist()) <= {7}
        assert set(types[mask == 0].tolist()) <= {0}


class Counting:
    """An encoder that keeps how many pairs and characters it was asked for at a time."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder, self.asked = encoder, list[tuple[int, int]]()

    def encode(self, pairs: Sequence[Pair]) -> list[Encoded]:
        self.asked.append((len(pairs), sum(len(text) for pair in pairs for text in pair)))
        return self._encoder.encode(pairs)

    def forget(self) -> None:
        self._encoder.forget()
        self.asked.append((0, 0))


@quick
@given(pairs=pair_lists(), most=st.integers(1, 5), characters=st.integers(1, 100))
def test_no_more_is_tokenised_at_a_time_than_memory_is_meant_for(
    encoders: dict[str, Encoder], pairs: list[Pair], most: int, characters: int
) -> None:
    encoder = Counting(encoders["two texts"])
    with _chunked(most, characters):
        _model(encoder).score(pairs)
    *asked, forgotten = encoder.asked
    assert forgotten == (0, 0)
    assert sum(count for count, _ in asked) == len(set(pairs))
    assert all(1 <= count <= most and (size <= characters or count == 1) for count, size in asked)


@pytest.mark.parametrize("kind", ["two texts", "prompt"])
@quick
@given(pairs=pair_lists(), chunk=st.integers(1, 5))
def test_progress_goes_from_nothing_to_all_and_never_back(
    encoders: dict[str, Encoder], kind: str, pairs: list[Pair], chunk: int
) -> None:
    heard: list[tuple[int, int]] = []
    with _chunked(chunk, 10_000), listening(lambda done, total: heard.append((done, total))):
        _model(encoders[kind], budget=1).score(pairs)
    total = sum(len(text) for pair in set(pairs) for text in pair)
    assert {t for _, t in heard} == {total}
    done = [d for d, _ in heard]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, total)
    assert all(type(d) is int for d in done)


def test_progress_of_a_long_text_moves_window_by_window(encoders: dict[str, Encoder]) -> None:
    heard: list[int] = []
    with listening(lambda done, _: heard.append(done)):
        _model(encoders["two texts"], budget=1).score([Pair("a b", "c d e f " * 100)])
    assert len(heard) > 30
    assert max(np.diff(heard)) <= heard[-1] / 20


@quick
@given(pairs=pair_lists(), stop=st.integers(0, 8), keep=st.booleans())
def test_a_cancelled_run_leaves_what_was_finished_if_it_may(
    encoders: dict[str, Encoder], tmp_path_factory: pytest.TempPathFactory, pairs: list[Pair], stop: int, keep: bool
) -> None:
    reports: list[int] = []

    def listener(done: int, total: int) -> None:
        reports.append(done)
        if len(reports) > stop:
            raise Cancelled

    encoder, first, second = encoders["two texts"], Forward(), Forward()
    expected = [_alone(encoder, pair) for pair in pairs]
    windows = {pair: len(encoded.windows) for pair, encoded in zip(pairs, encoder.encode(pairs), strict=True)}
    with pytest.MonkeyPatch.context() as patch, _chunked(3, 10_000):
        folder = tmp_path_factory.mktemp("data")
        patch.setenv("GROUNDSCOPE_DATA", str(folder))
        with keeping(keep), listening(listener):
            if sum(windows.values()) + 1 > stop:
                with pytest.raises(Cancelled):
                    _model(encoder, first, budget=1).score(pairs)
            else:
                _model(encoder, first, budget=1).score(pairs)
        assert keep or not any(folder.iterdir())
        with keeping(keep):
            again = _model(encoder, second, budget=1).score(pairs)
        pair_cache.default().close()
    _same(again, expected)
    assert first.rows == min(stop, sum(windows.values()))
    # A pair with some of its windows computed is not finished, and is computed as a whole again.
    assert first.rows + second.rows <= sum(windows.values()) + (max(windows.values(), default=0) * 3 if keep else first.rows)
    assert keep or again.cached == 0
    if keep and set(windows.values()) == {1}:
        assert first.rows + second.rows == len(windows)


@pytest.mark.usefixtures("data")
def test_a_pair_with_a_window_missing_is_not_kept(encoders: dict[str, Encoder]) -> None:
    def listener(done: int, total: int) -> None:
        if done >= total / 2:
            raise Cancelled

    forward = Forward()
    with keeping(), pytest.raises(Cancelled), listening(listener):
        _model(encoders["two texts"], forward, budget=1).score([Pair("a b", "c d e f " * 100)])
    assert forward.rows > 5
    assert not (pair_cache.data_folder() / "pairs.sqlite").exists()


def test_what_may_be_kept_is_not_computed_again(data: Path, encoders: dict[str, Encoder]) -> None:
    pairs = [Pair("The appeal", "was dismissed."), Pair("", ""), Pair("a " * 40, "b"), Pair("The appeal", "was dismissed.")]
    encoder, forward = encoders["two texts"], Forward()
    expected = [_alone(encoder, pair) for pair in pairs]
    _same(_model(encoder).score(pairs), expected)
    assert not any(data.iterdir()), "nothing may be kept here"
    with keeping():
        first = _model(encoder, forward).score(pairs[:2])
        second = _model(encoder, forward).score(pairs)
        third = _model(encoder, forward).score(pairs)
    assert (first.cached, second.cached, third.cached) == (0, 3, 4)
    assert forward.rows == 3
    for scores in (second, third):
        _same(scores, expected)
    for file in data.iterdir():
        assert b"appeal" not in file.read_bytes()


@pytest.mark.usefixtures("data")
def test_the_cache_is_neither_read_without_leave_nor_for_another_signature(encoders: dict[str, Encoder]) -> None:
    pairs, encoder, forward = [Pair("a", "b"), Pair("b", "a")], encoders["two texts"], Forward()
    with keeping():
        _model(encoder).score(pairs)
        assert _model(encoder, forward, signature="another").score(pairs).cached == 0
    assert _model(encoder, forward).score(pairs).cached == 0
    assert forward.rows == 4


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("support", [0.0, 1e-7, 0.5, 1.0])
def test_that_a_claim_was_cut_survives_the_cache(encoders: dict[str, Encoder], support: float) -> None:
    pairs = [Pair("a " * 40, "b"), Pair("a", "b"), Pair("a " * 40, "")]

    def read(logits: Supports) -> Supports:
        return np.full(len(logits), support, np.float32)

    model = PairModel(Forward(), read, encoders["two texts"], name="n", pad=0, budget=100, signature="s")
    with keeping():
        found = [model.score(pairs) for _ in range(2)]
    assert [scores.cached for scores in found] == [0, 3]
    for scores in found:
        assert scores.support.tolist() == np.full(3, support, np.float32).tolist()
        assert scores.cut.tolist() == [True, False, True]


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_model_that_gives_no_numbers_is_named(data: Path, encoders: dict[str, Encoder], number: float) -> None:
    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        logits = np.zeros((len(ids), 1), np.float32)
        logits[-1] = number
        return logits

    with keeping(), pytest.raises(ScorerUnavailable, match="the weights"):
        _model(encoders["two texts"], forward).score([Pair("a", "b"), Pair("b", "c")])
    assert not (data / "pairs.sqlite").exists()


def test_an_error_of_the_model_travels_up_and_the_model_works_on(encoders: dict[str, Encoder]) -> None:
    broken = True

    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        if broken:
            raise MemoryError
        return Forward()(ids, mask, types)

    model, pair = _model(encoders["two texts"], forward), Pair("a", "b")
    with pytest.raises(MemoryError):
        model.score([pair])
    broken = False
    _same(model.score([pair]), [_alone(encoders["two texts"], pair)])


def test_threads_use_a_model_in_turn(encoders: dict[str, Encoder]) -> None:
    inside = threading.Lock()
    honest = Forward()

    def forward(ids: Tokens, mask: Tokens, types: Tokens) -> Supports:
        assert inside.acquire(blocking=False), "two threads at once"
        try:
            return honest(ids, mask, types)
        finally:
            inside.release()

    model = _model(encoders["two texts"], forward, budget=1)
    lists = [[Pair(f"a {i}", f"b {j}") for j in range(20)] for i in range(8)]
    expected = [[_alone(encoders["two texts"], pair) for pair in pairs] for pairs in lists]
    with ThreadPoolExecutor(8) as pool:
        for scores, wanted in zip(pool.map(model.score, lists), expected, strict=True):
            _same(scores, wanted)


@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=2))
def test_logits_become_the_textbooks_supports(logits: list[float]) -> None:
    found = np.array([logits], np.float32)
    a, b = (min(max(x, -600.0), 600.0) for x in (logits[0], logits[1] - logits[0]))
    assert _pairs.sigmoid(found[:, :1])[0] == pytest.approx(1 / (1 + math.exp(-a)), abs=1e-6)
    assert _pairs.softmax(found, 1)[0] == pytest.approx(1 / (1 + math.exp(-b)), abs=1e-6)
    assert _pairs.softmax(found, 0)[0] + _pairs.softmax(found, 1)[0] == pytest.approx(1.0)


@given(st.integers(0, 3_000), st.integers(1, 600))
def test_windows_hold_every_token_and_overlap(size: int, room: int) -> None:
    found = list(spans(size, room))
    assert found[0][0] == 0
    assert found[-1][1] == size
    assert len(found) == 1 or size > room
    for start, end in found:
        assert min(size, room) == end - start
    for (start, end), (following, _) in pairwise(found):
        assert start < following <= end
        # Whatever is at most half a window long is whole in one of them.
        assert following - start <= max(1, room // 2)


def _pair_of(tokenizer: Any, first: str, second: str) -> tuple[list[int], list[int]]:
    # In lists, because two plain strings of which the second is empty are taken for one text.
    found = tokenizer([first], [second])
    ids: list[int] = found["input_ids"][0]
    return ids, found["token_type_ids"][0] if "token_type_ids" in found else [0] * len(ids)


@pytest.mark.parametrize("context_first", [True, False])
@pytest.mark.parametrize("kind", ["bert", "roberta", "deberta"])
@quick
@given(pair=st.builds(Pair, plain_texts, plain_texts))
def test_two_texts_are_what_the_tokenizer_makes_of_them(
    tokenizers: dict[str, Any], kind: str, context_first: bool, pair: Pair
) -> None:
    tokenizer = tokenizers[kind]
    ids, types = _pair_of(tokenizer, *((pair.context, pair.claim) if context_first else pair))
    encoded = TwoTexts(tokenizer, max(len(ids), 8), context_first=context_first).encode([pair])[0]
    assert not encoded.cut
    assert [(w.ids.tolist(), w.types.tolist()) for w in encoded.windows] == [(ids, types)]


@pytest.mark.parametrize("context_first", [True, False])
@pytest.mark.parametrize("kind", ["bert", "roberta", "deberta"])
@quick
@given(pair=st.builds(Pair, plain_texts, plain_texts), limit=st.integers(10, 40))
def test_long_texts_are_read_in_windows_of_whole_inputs(
    tokenizers: dict[str, Any], kind: str, context_first: bool, pair: Pair, limit: int
) -> None:
    tokenizer = tokenizers[kind]
    claim, context = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in pair)
    room = limit - len(_pair_of(tokenizer, "", "")[0])
    encoded = TwoTexts(tokenizer, limit, context_first=context_first).encode([pair])[0]
    kept = claim
    if len(claim) + len(context) > room:
        kept = claim[: max(room // 2, room - len(context))]
    assert encoded.cut == (kept != claim)
    seen: set[int] = set()
    for (start, end), window in zip(spans(len(context), room - len(kept)), encoded.windows, strict=True):
        expected = _around(tokenizer, *((context[start:end], kept) if context_first else (kept, context[start:end])))
        assert (window.ids.tolist(), window.types.tolist()) == expected
        assert len(window.ids) <= limit
        seen |= set(range(start, end))
    assert seen == set(range(len(context)))


def _around(tokenizer: Any, first: list[int], second: list[int]) -> tuple[list[int], list[int]]:
    """Both with the special tokens as the models' papers print them."""
    cls, sep = tokenizer.cls_token_id, tokenizer.sep_token_id
    if "Roberta" in type(tokenizer).__name__:
        return [cls, *first, sep, sep, *second, sep], [0] * (len(first) + len(second) + 4)
    return [cls, *first, sep, *second, sep], [0] * (len(first) + 2) + [1] * (len(second) + 1)


@pytest.mark.parametrize("kind", KINDS)
@quick
@given(text=texts)
def test_no_text_holds_a_special_token(tokenizers: dict[str, Any], kind: str, text: str) -> None:
    _holds_no_special_token(tokenizers[kind], text)


@pytest.mark.parametrize("kind", KINDS)
def test_no_text_holds_a_special_token_in_disguise(tokenizers: dict[str, Any], kind: str) -> None:
    tokenizer = tokenizers[kind]
    for token in tokenizer.all_special_tokens:
        wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in token)
        hidden = [token[:i] + sign + token[i:] for i in (1, len(token) - 1) for sign in "\0\x01\x7f\xad\u200b\u200d\ufeff\ud800"]
        doubled = [token[0] + token + token[1:], token * 3]
        for text in (token, wide, *hidden, *doubled):
            _holds_no_special_token(tokenizer, text)
            _holds_no_special_token(tokenizer, f"{wide} a{text}b {token}")


def _holds_no_special_token(tokenizer: Any, text: str) -> None:
    found = tokenizer(Plain(tokenizer)(text), add_special_tokens=False)["input_ids"]
    assert set(found).isdisjoint(set(tokenizer.all_special_ids) - {tokenizer.unk_token_id})


@quick
@given(text=st.text())
def test_plain_text_stays_as_it_is(tokenizers: dict[str, Any], text: str) -> None:
    for tokenizer in tokenizers.values():
        if not any(token in text for token in tokenizer.all_special_tokens):
            assert Plain(tokenizer)(text) == text


@quick
@given(pair=st.builds(Pair, plain_texts, plain_texts))
def test_a_prompt_is_the_tokenized_template(tokenizers: dict[str, Any], pair: Pair) -> None:
    tokenizer = tokenizers["t5"]
    filled = tiny.PROMPT.replace("{text1}", pair.context).replace("{text2}", pair.claim)
    expected = tokenizer(filled)["input_ids"]
    encoded = Prompt(tokenizer, tiny.PROMPT, len(expected)).encode([pair])[0]
    assert [w.ids.tolist() for w in encoded.windows] == [expected]
    assert not any(encoded.windows[0].types)
    assert not encoded.cut


@quick
@given(pair=st.builds(Pair, texts, texts), limit=st.integers(120, 140))
def test_no_prompt_is_longer_than_the_model_reads(tokenizers: dict[str, Any], pair: Pair, limit: int) -> None:
    tokenizer = tokenizers["t5"]
    head = tokenizer(tiny.PROMPT.split("{")[0].rstrip(), add_special_tokens=False)["input_ids"]
    for window in Prompt(tokenizer, tiny.PROMPT, limit).encode([pair])[0].windows:
        assert len(window.ids) <= limit
        assert window.ids[: len(head)].tolist() == head
        assert window.ids[-1] == tokenizer.eos_token_id


def test_a_sign_that_is_spelled_out_makes_no_prompt_too_long(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["t5"]
    assert len(tokenizer(SPELLED_OUT)["input_ids"]) > 8
    for limit in range(120, 140):
        for pair in (Pair("a b", SPELLED_OUT * 40), Pair(SPELLED_OUT * 40, "a b"), Pair(SPELLED_OUT * 40, SPELLED_OUT * 40)):
            encoded = Prompt(tokenizer, tiny.PROMPT, limit).encode([pair])[0]
            assert max(len(w.ids) for w in encoded.windows) <= limit
            assert encoded.cut == (pair.claim != "a b")


def test_a_long_context_is_read_in_prompts_to_its_end(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["t5"]
    numbers = [f"{i:03d}" for i in range(300)]
    encoded = Prompt(tokenizer, tiny.PROMPT, 200).encode([Pair("the costs", " ".join(numbers))])[0]
    read = [tokenizer.decode(w.ids, skip_special_tokens=True) for w in encoded.windows]
    assert len(read) > 5
    assert all(text.endswith("the costs") for text in read)
    assert all(any(number in text for text in read) for number in numbers)
    assert not encoded.cut


def test_a_long_claim_is_cut_in_a_prompt_and_leaves_the_context_half(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["t5"]
    encoded = Prompt(tokenizer, tiny.PROMPT, 200).encode([Pair("a " * 500, "the costs"), Pair("a", "the costs")])
    assert [e.cut for e in encoded] == [True, False]
    assert [len(e.windows) for e in encoded] == [1, 1]
    assert 100 < len(encoded[0].windows[0].ids) <= 200
    assert "the costs" in tokenizer.decode(encoded[0].windows[0].ids)


def test_a_place_of_the_template_inside_a_text_is_text(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["t5"]
    prompt = Prompt(tokenizer, "1: {text1} 2: {text2}", 100)
    encoded = prompt.encode([Pair("a", "b {text2} c"), Pair("d {text1}", "{text2} {text1}")])
    expected = ["1: b {text2} c 2: a", "1: {text2} {text1} 2: d {text1}"]
    assert [e.windows[0].ids.tolist() for e in encoded] == [tokenizer(text)["input_ids"] for text in expected]


MANY = """
import random, resource, sys
import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast
from evaluation.keeping import keeping
from scorers._encoders import Pair, Prompt
from scorers._pairs import PairModel, sigmoid

words = {word: i for i, word in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *(f"w{i}" for i in range(500))])}
fast = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
fast.pre_tokenizer = pre_tokenizers.Whitespace()
fast.post_processor = processors.TemplateProcessing(
    single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
)
special = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
tokenizer = PreTrainedTokenizerFast(tokenizer_object=fast, **special)
source = random.Random(1)
texts = [" ".join(f"w{source.randrange(500)}" for _ in range(source.randint(3, 30))) + f" {i}" for i in range(900)]

def forward(ids, mask, types):
    return (ids * mask).sum(axis=1, keepdims=True).astype(np.float32) % 7 - 3

encoder = Prompt(tokenizer, "w1 {text1} w2 {text2}", 512)
model = PairModel(forward, sigmoid, encoder, name="n", pad=0, budget=2048, signature="s")
unit = 1 if sys.platform == "darwin" else 1024
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with keeping():
    scores = model.score([Pair(claim, context) for claim in texts[:450] for context in texts[450:]])
print(len(scores.support), (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit)
"""


def test_two_hundred_thousand_pairs_need_little_memory(tmp_path: Path) -> None:
    environment = {**os.environ, "GROUNDSCOPE_DATA": str(tmp_path), "PYTHONPATH": str(ROOT)}
    out = subprocess.run(
        [sys.executable, "-c", MANY], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=300
    )
    pairs, memory = map(int, out.stdout.split())
    assert pairs == 202_500
    # Tokenised all at once they take two gigabytes.
    assert memory < 500_000_000
