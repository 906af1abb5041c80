"""Grounding classifier: a model fine-tuned to separate grounded from ungrounded sentences (paper, section 5.4).

The one that comes with this project is an adapter of SmolLM2-135M (`models/grounding-smollm2`): support is its share of Yes among
Yes, Maybe and No. The user's own are cross-encoders, made by this project's fine-tuning or named by the user: support is the
sigmoid of one output for (evidence, sentence); see `groundscope/models/weights/grounding.py`. The evidence are as many of the
nearest context sentences as the model was trained on, or, where that is not known, each context unit by itself, of which the best
counts. The response's support is the minimum over sentences. A sentence that stands word for word in the context has support 1.

Departs from the paper: its fine-tuned weights were not published, so its printed figures belong to another model; it reads one
context sentence at a time and takes none for supported unread; what is longer than the model reads is read in overlapping
windows; runs in bf16 where the processor has it.
"""

import re
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from groundscope.errors import ScorerUnavailable
from groundscope.methods import EVEN, About, Requirement, starting
from groundscope.methods.defaults import CLASSIFIER
from groundscope.models.pairs import causal
from groundscope.models.pairs.context_units import ContextUnit
from groundscope.models.pairs.method import PairMethod
from groundscope.models.pairs.models import LoadedModel, two_texts
from groundscope.models.pairs.scoring import sigmoid
from groundscope.models.weights import grounding, smollm2
from groundscope.models.weights.files import WeightFiles
from groundscope.models.weights.grounding import ENCODERS, HUB_ID, SETTING, SMOLLM2, USERS
from groundscope.models.weights.local import named_folder, save_choice
from groundscope.paths import settings
from groundscope.training.folders import own_models

LONGEST = 512

_LIKE_A_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+@\S*")
_AS_TRAINED: Any = object()
"""Placeholder for a parameter that the caller leaves open; `__post_init__` replaces it."""


def variants() -> dict[str, dict[str, Any]]:
    """Parameters by the name of each model that the user fine-tuned; `smollm2` where another model has the plain id's place."""
    replaced = {} if grounding.chosen() == SMOLLM2 else {"smollm2": {"weights": SMOLLM2}}
    return {**replaced, **{name: {"weights": grounding.fine_tuned(name)} for name in own_models()}}


@dataclass(frozen=True)
class GroundingClassifier(PairMethod):
    """A fine-tuned model, the user's or the one that comes with the project; the parameters are those of `PairMethod`.

    `context_unit` is `nearest` with the `window` that the model was trained on, if its record states it.
    """

    weights: WeightFiles = field(default_factory=grounding.chosen)
    context_unit: ContextUnit = _AS_TRAINED
    window: int = field(default=_AS_TRAINED, metadata={"least": 1})
    verbatim: bool = True

    examples = MappingProxyType({"window": PairMethod.window})

    def __post_init__(self) -> None:
        """Read as much evidence as the model was trained on, unless the caller says otherwise."""
        trained = grounding.evidence(self.weights)
        for name in ("context_unit", "window"):
            if getattr(self, name) is _AS_TRAINED:
                object.__setattr__(self, name, trained.get(name, getattr(PairMethod, name)))
        super().__post_init__()

    @property
    def on_request(self) -> bool:  # type: ignore[override]
        """Beside a model that the user put in its place, the adapter is shown only where the user chose it."""
        return self._adapted and self.weights != grounding.chosen()

    @property
    def input(self) -> str:  # type: ignore[override]
        """How the two texts go into the model."""
        return f"question|{causal.LIMIT} tokens" if self._adapted else f"context first|{LONGEST} tokens"

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence: of the shipped one by the board, of a model trained here by its own record."""
        tuned = grounding.threshold(self.weights)
        common = About(
            title="Grounding classifier",
            measures="How well the best source sentence supports a sentence, by a model fine-tuned for it.",
            threshold=tuned[0] if tuned else 0.5,
            threshold_source="tuned on dev by its training" if tuned else EVEN,
            licence=grounding.licence(self.weights) or "that of the model it was made from",
        )
        if self._adapted:
            return replace(
                common,
                title="Grounding classifier SmolLM2",
                plain="Trained judge",
                measures="Whether the nearest source sentences support a sentence, by a small language model that answers yes, "
                "maybe or no.",
                **starting(CLASSIFIER),
            )
        if name := grounding.own_name(self.weights):
            return replace(
                common,
                title=f"Grounding classifier {name}",
                measures="How well the nearest source sentences support a sentence, by a model fine-tuned on this machine.",
                licence="that of its base and of the data it was made from",
            )
        return replace(common, needs="a folder that this project's fine-tuning made", paper="5.4")

    @property
    def _adapted(self) -> bool:
        """Whether the weights are an adapter of SmolLM2, not a whole model."""
        return self.weights.marker == SMOLLM2.marker

    def card(self) -> str:
        """The model card beside the weights, Markdown by their authors; empty if there is none."""
        return grounding.card(self.weights)

    def requirements(self) -> tuple[Requirement, ...]:
        """The weights; the user may put others in the place of those of the plain id."""
        weights = (replace(r, replaceable=self.weights == grounding.chosen()) for r in super().requirements())
        return (*weights, *self._base_lacking())

    def _base_lacking(self) -> tuple[Requirement, ...]:
        return smollm2.lacking() if self._adapted else ()

    def fetch(self) -> None:
        """See `LocalModel`: the base of the adapter too."""
        if self._adapted:
            smollm2.fetch()
        super().fetch()

    def unavailable(self) -> str:
        """Why this method cannot run here and what to do; empty if it can."""
        return super().unavailable() or next((r.missing for r in self._base_lacking()), "")

    def accept(self, name: str, path: str) -> None:
        """Use a folder, or a hub model written as `organisation/model@commit` with all forty digits of the commit."""
        if HUB_ID.fullmatch(path.strip()) and not named_folder(path):
            save_choice(SETTING, path.strip())
            return
        if _LIKE_A_HUB_ID.fullmatch(path.strip()) and not named_folder(path):
            raise ScorerUnavailable(
                "A model on the hub is written as organisation/model@commit with all forty digits of the commit, so that it "
                "cannot change; give it so, or give a folder."
            )
        # By the base: this method's own `accept` takes hub models, too.
        PairMethod.accept(replace(self, weights=USERS), USERS.name, path)
        if settings().get(SETTING):
            save_choice(SETTING, None)

    def _load(self) -> LoadedModel:
        if note := self.unavailable():
            raise ScorerUnavailable(note)
        if self._adapted:
            return causal.load(self.weights.folder(), self.weights.name, self.precision)
        return two_texts(self.weights, LONGEST, ENCODERS, 1, sigmoid, context_first=True, reads_less=True)
