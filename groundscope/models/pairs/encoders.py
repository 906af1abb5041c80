"""Pairs of claim and context text -> model inputs: token ids with special tokens, windows of long texts."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from groundscope.models.batches import encodable

Ids = NDArray[np.int32]


class TextPair(NamedTuple):
    """A claim, and the context text that may support it."""

    claim: str
    context: str


class Window(NamedTuple):
    """One input of the model: token ids and segment ids, both (n_tokens,)."""

    ids: Ids
    types: Ids


class Encoded(NamedTuple):
    """The inputs of a pair: one or several windows, and whether the end of the claim was cut."""

    windows: list[Window]
    cut: bool


class Encoder(Protocol):
    """Converts pairs to inputs of a model."""

    limit: int

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""

    def encode(self, pairs: Sequence[TextPair]) -> list[Encoded]:
        """Convert pairs of any length to inputs of the model, one item a pair; each window is within the model's limit."""

    def forget(self) -> None:
        """Drop cached tokens."""


class PlainText:
    """Makes the special tokens of a tokenizer ordinary text: "[SEP]" in an answer must not end a segment."""

    def __init__(self, tokenizer: Any) -> None:
        self._special = [t for t in tokenizer.all_special_tokens if len(t) > 1]
        normaliser = tokenizer.backend_tokenizer.normalizer
        self._normalised = normaliser.normalize_str if normaliser else str

    def __call__(self, text: str) -> str:
        """Insert a space after the first character of every special token, and replace characters without UTF-8."""
        text = encodable(text)
        normalised = self._normalised(text)
        # Full-width or control signs make some tokens only here: T5's normaliser turns "＜/s＞" into "</s>".
        if any(token in normalised for token in self._special):
            text = normalised
        for token in self._special:
            text = text.replace(token, f"{token[0]} {token[1:]}")
        return text


def spans(size: int, room: int) -> Iterator[tuple[int, int]]:
    """Split `size` tokens into windows (start, end) of `room` that overlap by half; the last one ends with the text."""
    last = max(0, size - room)
    for start in [*range(0, last, max(1, room // 2)), last]:
        yield start, min(size, start + room)


class TwoTexts:
    """The input of a cross-encoder: both texts with the special tokens that its tokenizer puts around them.

    Every distinct text is tokenised once, however many pairs it is in; the special tokens are learned from an example,
    because a tokenizer exposes them in no other way.
    """

    def __init__(self, tokenizer: Any, limit: int, *, context_first: bool) -> None:
        """Learn the special tokens of a fast tokenizer; `limit` of tokens includes them, `context_first` is the trained order."""
        self._tokenizer, self._context_first, self._plain, self.limit = tokenizer, context_first, PlainText(tokenizer), limit
        example = tokenizer("first", "second")
        ids, places = example["input_ids"], example.sequence_ids(0)
        types = example.get("token_type_ids") or [0] * len(ids)
        first, second = ([i for i, place in enumerate(places) if place == which] for which in (0, 1))
        cuts = ((0, first[0]), (first[-1] + 1, second[0]), (second[-1] + 1, len(ids)))
        self._special = [Window(np.array(ids[a:b], np.int32), np.array(types[a:b], np.int32)) for a, b in cuts]
        self._types = (types[first[0]], types[second[0]])
        self._room = limit - sum(len(s.ids) for s in self._special)
        self._known: dict[str, Ids] = {}

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""
        return _counts(self._tokenizer, [self._plain(text) for text in texts])

    def encode(self, pairs: Sequence[TextPair]) -> list[Encoded]:
        """Both texts with special tokens.

        A long context is read in windows; a claim that would leave it less than half of the room is cut at its end.
        """
        new = [text for text in dict.fromkeys(t for pair in pairs for t in pair) if text not in self._known]
        if new:
            encoded = self._tokenizer([self._plain(t) for t in new], add_special_tokens=False, verbose=False)["input_ids"]
            self._known.update((text, np.array(ids, np.int32)) for text, ids in zip(new, encoded, strict=True))
        return [self._encoded(self._known[pair.claim], self._known[pair.context]) for pair in pairs]

    def forget(self) -> None:
        """Drop the tokens of all texts."""
        self._known.clear()

    def _encoded(self, claim: Ids, context: Ids) -> Encoded:
        fitted = claim
        if len(claim) + len(context) > self._room:
            fitted = claim[: max(self._room // 2, self._room - len(context))]
        room = self._room - len(fitted)
        windows = [self._joined(fitted, context[a:b]) for a, b in spans(len(context), room)]
        return Encoded(windows, len(fitted) < len(claim))

    def _joined(self, claim: Ids, context: Ids) -> Window:
        a, b = (context, claim) if self._context_first else (claim, context)
        before, between, after = self._special
        first_type, second_type = self._types
        types = np.concatenate(
            [
                before.types,
                np.full(len(a), first_type, np.int32),
                between.types,
                np.full(len(b), second_type, np.int32),
                after.types,
            ]
        )
        return Window(np.concatenate([before.ids, a, between.ids, b, after.ids]), types)


class PairPrompt:
    """The input of a model that reads both texts inside one prompt, as one text."""

    def __init__(self, tokenizer: Any, template: str, limit: int) -> None:
        """Keep the template with the places `{text1}` for the context and `{text2}` for the claim; `limit` counts its tokens."""
        self._tokenizer, self._template, self._plain, self.limit = tokenizer, template, PlainText(tokenizer), limit
        self._room = limit - len(tokenizer(self._filled("", ""))["input_ids"])

    def counts(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, without special ones."""
        return _counts(self._tokenizer, [self._plain(text) for text in texts])

    def encode(self, pairs: Sequence[TextPair]) -> list[Encoded]:
        """The filled prompts; a context that is too long is read in windows, a claim of more than half the room is cut."""
        prompts = [self._filled(self._plain(p.context), self._plain(p.claim)) for p in pairs]
        encoded = self._tokenizer(prompts, verbose=False)["input_ids"] if prompts else []
        return [
            Encoded([window(ids)], cut=False) if len(ids) <= self.limit else self._windowed(pair)
            for pair, ids in zip(pairs, encoded, strict=True)
        ]

    def forget(self) -> None:
        """Nothing is kept."""

    def _filled(self, context: str, claim: str) -> str:
        # One step, so that a context that holds "{text2}" stays as it is.
        first, _, rest = self._template.partition("{text1}")
        between, _, last = rest.partition("{text2}")
        return f"{first}{context}{between}{claim}{last}"

    def _windowed(self, pair: TextPair) -> Encoded:
        claim, whole = self._cut(self._plain(pair.claim))
        context = self._plain(pair.context)
        offsets = self._offsets(context)
        # Joined with what stands around it, a piece may be cut into a token or two more than it was alone.
        room = max(8, self._room - len(self._offsets(claim)) - 4)
        while True:
            pieces = [context[offsets[a][0] : offsets[b - 1][1]] for a, b in spans(len(offsets), room)] if offsets else [""]
            encoded = self._tokenizer([self._filled(piece, claim) for piece in pieces], verbose=False)["input_ids"]
            over = max(map(len, encoded)) - self.limit
            if over <= 0 or room == 1:
                return Encoded([window(ids) for ids in encoded], cut=not whole)
            # A window that begins or ends inside a sign of many tokens (one that the normaliser spells out) takes it whole.
            room = max(1, room - over)

    def _cut(self, claim: str) -> tuple[str, bool]:
        offsets = self._offsets(claim)
        if len(offsets) <= self._room // 2:
            return claim, True
        return claim[: offsets[self._room // 2 - 1][1]], False

    def _offsets(self, text: str) -> list[tuple[int, int]]:
        encoding = self._tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        offsets: list[tuple[int, int]] = encoding["offset_mapping"]
        return offsets


def _counts(tokenizer: Any, texts: list[str]) -> list[int]:
    encoded = tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else []
    return [len(ids) for ids in encoded]


def window(ids: Sequence[int]) -> Window:
    """Make the input of tokens that are all of one segment."""
    return Window(np.array(ids, np.int32), np.zeros(len(ids), np.int32))
