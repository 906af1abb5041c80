"""What the models are given against what the tokenizers themselves make: windows, cuts, prompts, special tokens."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.models.pairs.encoders import PairPrompt, PlainText, TextPair, TwoTexts, spans
from tests.groundscope.models.pairs.engine import KINDS, SPELLED_OUT, plain_texts, quick, texts
from tests.scorers import tiny


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
@given(pair=st.builds(TextPair, plain_texts, plain_texts))
def test_two_texts_are_what_the_tokenizer_makes_of_them(
    tokenizers: dict[str, Any], kind: str, context_first: bool, pair: TextPair
) -> None:
    tokenizer = tokenizers[kind]
    ids, types = _pair_of(tokenizer, *((pair.context, pair.claim) if context_first else pair))
    encoded = TwoTexts(tokenizer, max(len(ids), 8), context_first=context_first).encode([pair])[0]
    assert not encoded.cut
    assert [(w.ids.tolist(), w.types.tolist()) for w in encoded.windows] == [(ids, types)]


@pytest.mark.parametrize("context_first", [True, False])
@pytest.mark.parametrize("kind", ["bert", "roberta", "deberta"])
@quick
@given(pair=st.builds(TextPair, plain_texts, plain_texts), limit=st.integers(10, 40))
def test_long_texts_are_read_in_windows_of_whole_inputs(
    tokenizers: dict[str, Any], kind: str, context_first: bool, pair: TextPair, limit: int
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
    found = tokenizer(PlainText(tokenizer)(text), add_special_tokens=False)["input_ids"]
    assert set(found).isdisjoint(set(tokenizer.all_special_ids) - {tokenizer.unk_token_id})


@quick
@given(text=st.text())
def test_plain_text_stays_as_it_is(tokenizers: dict[str, Any], text: str) -> None:
    for tokenizer in tokenizers.values():
        if not any(token in text for token in tokenizer.all_special_tokens):
            assert PlainText(tokenizer)(text) == text


@quick
@given(pair=st.builds(TextPair, plain_texts, plain_texts))
def test_a_prompt_is_the_tokenized_template(tokenizers: dict[str, Any], pair: TextPair) -> None:
    tokenizer = tokenizers["t5"]
    filled = tiny.PROMPT.replace("{text1}", pair.context).replace("{text2}", pair.claim)
    expected = tokenizer(filled)["input_ids"]
    encoded = PairPrompt(tokenizer, tiny.PROMPT, len(expected)).encode([pair])[0]
    assert [w.ids.tolist() for w in encoded.windows] == [expected]
    assert not any(encoded.windows[0].types)
    assert not encoded.cut


@quick
@given(pair=st.builds(TextPair, texts, texts), limit=st.integers(120, 140))
def test_no_prompt_is_longer_than_the_model_reads(tokenizers: dict[str, Any], pair: TextPair, limit: int) -> None:
    tokenizer = tokenizers["t5"]
    head = tokenizer(tiny.PROMPT.split("{")[0].rstrip(), add_special_tokens=False)["input_ids"]
    for window in PairPrompt(tokenizer, tiny.PROMPT, limit).encode([pair])[0].windows:
        assert len(window.ids) <= limit
        assert window.ids[: len(head)].tolist() == head
        assert window.ids[-1] == tokenizer.eos_token_id


def test_a_sign_that_is_spelled_out_makes_no_prompt_too_long(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["t5"]
    assert len(tokenizer(SPELLED_OUT)["input_ids"]) > 8
    for limit in range(120, 140):
        for pair in (
            TextPair("a b", SPELLED_OUT * 40),
            TextPair(SPELLED_OUT * 40, "a b"),
            TextPair(SPELLED_OUT * 40, SPELLED_OUT * 40),
        ):
            encoded = PairPrompt(tokenizer, tiny.PROMPT, limit).encode([pair])[0]
            assert max(len(w.ids) for w in encoded.windows) <= limit
            assert encoded.cut == (pair.claim != "a b")


def test_a_long_context_is_read_in_prompts_to_its_end(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["t5"]
    numbers = [f"{i:03d}" for i in range(300)]
    encoded = PairPrompt(tokenizer, tiny.PROMPT, 200).encode([TextPair("the costs", " ".join(numbers))])[0]
    read = [tokenizer.decode(w.ids, skip_special_tokens=True) for w in encoded.windows]
    assert len(read) > 5
    assert all(text.endswith("the costs") for text in read)
    assert all(any(number in text for text in read) for number in numbers)
    assert not encoded.cut


def test_a_place_of_the_template_inside_a_text_is_text(tokenizers: dict[str, Any]) -> None:
    tokenizer = tokenizers["t5"]
    prompt = PairPrompt(tokenizer, "1: {text1} 2: {text2}", 100)
    encoded = prompt.encode([TextPair("a", "b {text2} c"), TextPair("d {text1}", "{text2} {text1}")])
    expected = ["1: b {text2} c 2: a", "1: {text2} {text1} 2: d {text1}"]
    assert [e.windows[0].ids.tolist() for e in encoded] == [tokenizer(text)["input_ids"] for text in expected]
