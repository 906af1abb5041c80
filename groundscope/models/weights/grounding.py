"""Weights of the grounding classifier, and the record of their training.

The user's choice comes first: a model on the hub, a folder chosen on the methods page, a folder `grounding-classifier` under
GROUNDSCOPE_MODELS. Otherwise it is the adapter that ships with this project.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from groundscope.errors import ScorerUnavailable
from groundscope.models.weights.files import WeightFiles, json_object
from groundscope.paths import settings

SMOLLM2 = WeightFiles("grounding-smollm2", "2", shipped="grounding-smollm2", megabytes=14, file="adapter_config.json")
"""The adapter that ships; the weights of its base, SmolLM2-135M, come in a package."""
USERS = WeightFiles("grounding-classifier", "folder")
"""A folder that the user names or puts under GROUNDSCOPE_MODELS."""
SETTING = "grounding_classifier"
"""Holds the hub model that the user chose."""
RECORD = "training.json"
"""Beside the weights: what the model was made from and what it reached on dev."""
ENCODERS = ("bert", "deberta-v2", "roberta", "xlm-roberta", "electra", "mpnet", "distilbert", "modernbert")
"""Architectures (`model_type` of config.json) that can be fine-tuned and loaded as grounding classifiers."""
HUB_ID = re.compile(r"([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})@([0-9a-f]{40})")

_OWN = "finetuned/"
_CARD_LIMIT = 200_000
"""Characters of a model card that are read."""


class _OwnWeights(WeightFiles):
    """Weights that lie where the fine-tuning put them; nothing else of the same name stands in for them."""

    __slots__ = ()

    def folder(self) -> Path:
        """The folder to load from; `ScorerUnavailable` if it is gone."""
        if (self.own_folder() / "config.json").is_file():
            return self._ordinary(self.own_folder())
        raise ScorerUnavailable(f"The model {self.model.removeprefix(_OWN)} is gone; train it again on the methods page.")


def chosen() -> WeightFiles:
    """The weights that the user chose, or else those that ship."""
    if hub := HUB_ID.fullmatch(str(settings().get(SETTING, ""))):
        return WeightFiles(hub[1], hub[2])
    return USERS if USERS.put_here() else SMOLLM2


def fine_tuned(name: str) -> WeightFiles:
    """The weights of a model that the user fine-tuned under a name; they need not exist."""
    return _OwnWeights(f"{_OWN}{name}", "folder")


def own_name(weights: WeightFiles) -> str:
    """The name that the user gave to the training of these weights; empty for other weights."""
    return weights.model.removeprefix(_OWN) if weights.model.startswith(_OWN) else ""


def training_record(weights: WeightFiles) -> dict[str, Any]:
    """Content of the training.json of any weights; empty if they are not here or have none."""
    try:
        folder = weights.folder()
        return _read(folder, (folder / RECORD).stat().st_mtime_ns)
    except (OSError, ScorerUnavailable):
        return {}


def evidence(weights: WeightFiles) -> dict[str, Any]:
    """Parameters of `PairMethod` that give a model as much evidence as its training; empty if one sentence or unknown."""
    count = _about(training_record(weights)).get("evidence")
    return {"context_unit": "nearest", "window": count} if type(count) is int and count > 1 else {}


def threshold(weights: WeightFiles) -> tuple[float, str] | None:
    """The threshold from 0 to 1 that was tuned on dev after the training, and on what; None = not known.

    Whole `responses` come before `pairs`.
    """
    recorded = training_record(weights)
    for figures, what in ((recorded.get("responses"), "responses"), (recorded.get("dev_after"), "pairs")):
        value = figures.get("threshold") if isinstance(figures, dict) else None
        if isinstance(value, int | float) and 0.0 <= value <= 1.0:
            return float(value), what
    return None


def licence(weights: WeightFiles) -> str:
    """The licence of the weights as recorded by their training; empty if none was."""
    stated = _about(training_record(weights)).get("Licence")
    return stated if isinstance(stated, str) else ""


def card(weights: WeightFiles) -> str:
    """The model card of the weights in Markdown, up to 200,000 characters; empty where there is none."""
    try:
        with (weights.folder() / "README.md").open(encoding="utf-8", errors="replace") as file:
            return file.read(_CARD_LIMIT)
    except (OSError, ScorerUnavailable):
        return ""


def record(folder: Path) -> dict[str, Any]:
    """Read the record of a model's training."""
    return json_object(folder / RECORD) or {}


def _about(recorded: dict[str, Any]) -> dict[str, Any]:
    about = recorded.get("about")
    return about if isinstance(about, dict) else {}


@lru_cache(maxsize=16)
def _read(folder: Path, _changed: int) -> dict[str, Any]:
    return record(folder)
