"""MiniCheck: models trained to check one sentence against a document (Tang, Laban and Durrett 2024, EMNLP).

The document is cut into chunks of whole sentences, of 400 of the model's tokens (500 words for Flan-T5), and the chunk with the
highest P(supported) counts. RoBERTa and DeBERTa classify the text `chunk </s> sentence` (with their own sign for the end), output
1 of two; Flan-T5 reads `predict: chunk </s> sentence` and its first answer is "1", against the empty token
(github.com/Liyan06/MiniCheck). The response's support is the minimum over sentences.

Not in the paper. Departs from the original: a chunk never crosses two passages; sentences are split by this project; what is
longer than the model reads (512 tokens; 2,048 for DeBERTa and Flan-T5), where the original cuts the end, is read in overlapping
windows; runs in bf16 where the processor has it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from groundscope.errors import ScorerUnavailable
from groundscope.methods import About, Published
from groundscope.models.pairs.context_units import ContextUnit, TextUnit, chunks, texts_of, units
from groundscope.models.pairs.encoders import PairPrompt
from groundscope.models.pairs.method import PairMethod, Sanity
from groundscope.models.pairs.models import LoadedModel, first_answer
from groundscope.models.pairs.scoring import softmax
from groundscope.models.weights import checkpoint
from groundscope.models.weights.files import WeightFiles, fingerprint
from groundscope.text.sentences import Unit
from groundscope.types import Case

Base = Literal["roberta", "deberta", "flan-t5"]
SUPPORTED = 1
ANSWERS = (3, 209)
"""Flan-T5's tokens for the empty word and for "1"."""
_DOCUMENT = "A group of students gather in the school library to study for their upcoming final exams."
_CLAIMS = ("The students are preparing for an examination.", "The students are on vacation.")


class _Model(NamedTuple):
    weights: WeightFiles
    title: str
    kinds: tuple[str, ...]
    limit: int
    chunk: int
    printed: tuple[float, ...]
    figure: float


MODELS: dict[Base, _Model] = {
    "roberta": _Model(
        WeightFiles("lytang/MiniCheck-RoBERTa-Large", "74c8919647e61ed0f71bc177d94f10930f090068", megabytes=1_420, pickled=True),
        "RoBERTa", ("roberta",), 512, 400, (), 73.5,
    ),
    "deberta": _Model(
        WeightFiles(
            "lytang/MiniCheck-DeBERTa-v3-Large", "2f2d01a54fa022a7ffadb76260e1ea8bc88c82bb", megabytes=1_740, pickled=True
        ),
        "DeBERTa", ("deberta-v2",), 2_048, 400, (), 73.1,
    ),
    "flan-t5": _Model(
        WeightFiles("lytang/MiniCheck-Flan-T5-Large", "96eafd01cee2d16cf81aaa2fb226b14f422a37b3", megabytes=3_130, pickled=True),
        "Flan-T5", ("t5",), 2_048, 500, (0.9806, 0.0071), 75.0,
    ),
}  # fmt: skip
PLAIN = False
VARIANTS = {name: {"base": name, "weights": model.weights} for name, model in MODELS.items()}


@dataclass(frozen=True)
class MiniCheck(PairMethod):
    """MiniCheck; the other parameters are those of `PairMethod`."""

    weights: WeightFiles = MODELS["roberta"].weights
    context_unit: ContextUnit = "chunk"
    base: Base = "roberta"

    input = "published layout"

    @property
    def sanity(self) -> tuple[Sanity, ...]:  # type: ignore[override]
        """The example of the model card, where it prints probabilities."""
        printed = MODELS[self.base].printed
        return tuple(Sanity(_DOCUMENT, claim, support) for claim, support in zip(_CLAIMS, printed, strict=False))

    @property
    def pair_signature(self) -> str:
        """See `PairMethod`; with the model's layout."""
        model = MODELS[self.base]
        return f"{super().pair_signature} of {self.base}, chunks of {model.chunk}|{model.limit} tokens"

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        return About(
            title=f"MiniCheck {MODELS[self.base].title}",
            measures="How likely the best chunk of a source supports a sentence, by a model trained to check facts.",
            threshold=0.5,
            threshold_source="the publisher's, not tuned",
            needs=f"the weights of {self.weights.name} ({self.weights.megabytes:,} MB)",
            licence="MIT",
            published=Published.aggrefact(MODELS[self.base].figure),
        )

    def _units(self, case: Case, context: Sequence[Unit]) -> list[TextUnit]:
        if self.context_unit != "chunk":
            return units(case, context, self.context_unit, self.window)
        texts = texts_of(case, context)
        sizes = [len(text.split()) for text in texts] if self.base == "flan-t5" else self._model().counts(texts)
        return chunks(case, context, sizes, MODELS[self.base].chunk)

    def _load(self) -> LoadedModel:
        folder, published = self.weights.folder(), MODELS[self.base]
        flan = self.base == "flan-t5"
        expected = checkpoint.ExpectedCheckpoint(self.weights.name, published.kinds, 0 if flan else 2, self.weights.pickled)
        model = checkpoint.load_classifier(folder, expected, "Seq2SeqLM" if flan else "SequenceClassification")
        tokenizer = checkpoint.load_tokenizer(folder, self.weights.name, model.config.vocab_size)
        if tokenizer.eos_token is None:
            raise ScorerUnavailable(
                f"The tokenizer of {self.weights.name} has no sign for the end; get the published files again."
            )
        template = f"{'predict: ' if flan else ''}{{text1}}{tokenizer.eos_token}{{text2}}"
        if flan:
            model = first_answer(model, ANSWERS)
        encoder, read = PairPrompt(tokenizer, template, published.limit), partial(softmax, index=SUPPORTED)
        return LoadedModel(model, encoder, tokenizer.pad_token_id, fingerprint(folder), read)
