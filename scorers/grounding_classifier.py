"""Grounding classifier: a cross-encoder fine-tuned on grounded and ungrounded sentences (paper, section 5.4).

Support is the sigmoid of one output for (context unit, sentence). A sentence's support is the maximum over context units,
the response's the minimum over sentences. The weights are whatever this project's fine-tuning made: a folder that is named on
the methods page or lies as `grounding-classifier` under GROUNDSCOPE_MODELS, or a model of that kind on the hub.

Departs from the paper: its fine-tuned weights were not published, so its printed figures belong to another model; what is
longer than the model reads is read in overlapping windows; runs in bf16 where the processor has it.
"""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from evaluation.about import EVEN, About, Paper
from evaluation.errors import ScorerUnavailable
from evaluation.finetuning import COUNTED_AFTER_PADDING, ENCODERS, record
from evaluation.own_models import folder_of, own_models
from evaluation.places import set_setting, settings
from scorers import _checkpoint, _pairs
from scorers._encoders import TwoTexts
from scorers._local import named_folder
from scorers._pair_method import PairMethod
from scorers._pair_models import Loaded
from scorers._pairs import Supports
from scorers._weights import Weights, fingerprint

LONGEST = 512

_OWN = "finetuned/"
_SETTING = "grounding_classifier"
_LIKE_A_HUB_ID = re.compile(r"[\w.-]+/[\w.-]+@\S*")
_HUB_ID = re.compile(r"([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})@([0-9a-f]{40})")


def chosen() -> Weights:
    """The hub model that the user chose, or the folder called `grounding-classifier`."""
    found = _HUB_ID.fullmatch(str(settings().get(_SETTING, "")))
    if found:
        return Weights(found[1], found[2])
    return Weights("grounding-classifier", "folder")


def variants() -> dict[str, dict[str, Any]]:
    """The models that the user fine-tuned, by name; each reads as much evidence as it was trained on."""
    return {name: {"weights": _own(name), **_unit(folder_of(name))} for name in own_models()}


class _OwnWeights(Weights):
    """Weights that lie where the fine-tuning put them; nothing else of the same name stands in for them."""

    __slots__ = ()

    def folder(self) -> Path:
        """The folder to load from.

        Raises:
            ScorerUnavailable: it is gone.
        """
        if (self.own_folder() / "config.json").is_file():
            return self.own_folder()
        raise ScorerUnavailable(f"The model {self.model.removeprefix(_OWN)} is gone; train it again on the methods page.")


def _own(name: str) -> Weights:
    return _OwnWeights(f"{_OWN}{name}", "folder")


def _unit(folder: Path) -> dict[str, Any]:
    about = record(folder).get("about")
    count = about.get("evidence") if isinstance(about, dict) else None
    return {"context_unit": "nearest", "window": count} if type(count) is int and count > 1 else {}


def _threshold(made: dict[str, Any]) -> float | None:
    """That of whole responses, or else that of pairs; None where the record does not tell."""
    for figures in (made.get("responses"), made.get("dev_after")):
        found = figures.get("threshold") if isinstance(figures, dict) else None
        if isinstance(found, int | float) and 0.0 <= found <= 1.0:
            return float(found)
    return None


@dataclass(frozen=True)
class GroundingClassifier(PairMethod):
    """A fine-tuned cross-encoder; the parameters are those of `PairMethod`."""

    weights: Weights = field(default_factory=chosen)

    input = f"context first|{LONGEST} tokens"

    @property
    def about(self) -> About:
        """What to tell users; of a model fine-tuned here also its name and the threshold that its training found."""
        if self.weights.model.startswith(_OWN):
            return self._about_own(self.weights.model.removeprefix(_OWN))
        return About(
            title="Grounding classifier",
            measures="How well the best context sentence supports a sentence, by a model fine-tuned to tell.",
            threshold=0.5,
            threshold_source=EVEN,
            needs="a folder that this project's fine-tuning made",
            licence="that of the model it was made from",
            paper=Paper("GC-large", "5.4", dev_f1=0.655, test_f1=0.615),
        )

    def _about_own(self, name: str) -> About:
        found = _threshold(record(self.weights.own_folder()))
        return About(
            title=f"Grounding classifier {name}",
            measures="How well the nearest context sentences support a sentence, by a model fine-tuned on this machine.",
            threshold=0.5 if found is None else found,
            threshold_source=EVEN if found is None else "tuned on dev by its training",
            licence="that of its base and of the data it was made from",
        )

    def unavailable(self) -> str:
        """Why this method cannot run here, with the mend; empty if it can."""
        if self.weights.revision == "folder" and not self.weights.model.startswith(_OWN) and super().unavailable():
            return (
                "No grounding classifier is on this machine; put the folder of one on the methods page, or as "
                "`grounding-classifier` under GROUNDSCOPE_MODELS."
            )
        return super().unavailable()

    def accept(self, name: str, path: str) -> None:
        """Use a folder, or a hub model written as `organisation/model@commit` with all forty digits of the commit.

        Raises:
            ScorerUnavailable: the folder is not what the method runs on.
        """
        if _HUB_ID.fullmatch(path.strip()) and not named_folder(path):
            _choose(path.strip())
            return
        if _LIKE_A_HUB_ID.fullmatch(path.strip()) and not named_folder(path):
            raise ScorerUnavailable(
                "A model on the hub is written as organisation/model@commit with all forty digits of the commit, so that it "
                "cannot change; give it so, or give a folder."
            )
        replace(self, weights=Weights("grounding-classifier", "folder"))._accept_folder(path)
        if settings().get(_SETTING):
            _choose(None)

    def _accept_folder(self, path: str) -> None:
        super().accept(self.weights.name, path)

    def _load(self) -> Loaded:
        if note := self.unavailable():
            raise ScorerUnavailable(note)
        folder = self.weights.folder()
        model = _checkpoint.load_classifier(folder, _checkpoint.Wanted(self.weights.name, ENCODERS, labels=1))
        tokenizer = _checkpoint.load_tokenizer(folder, self.weights.name, model.config.vocab_size)
        positions = int(getattr(model.config, "max_position_embeddings", LONGEST) or LONGEST)
        if model.config.model_type in COUNTED_AFTER_PADDING:
            positions -= tokenizer.pad_token_id + 1
        limit = min(LONGEST, positions, int(tokenizer.model_max_length))
        encoder = TwoTexts(tokenizer, limit, context_first=True)
        return Loaded(model, encoder, tokenizer.pad_token_id, fingerprint(folder))

    @staticmethod
    def _read(logits: Supports) -> Supports:
        return _pairs.sigmoid(logits)


def _choose(model: str | None) -> None:
    try:
        set_setting(_SETTING, model)
    except OSError as error:
        raise ScorerUnavailable(
            f"The choice cannot be kept ({error.strerror}); check that the data folder can be written."
        ) from error
