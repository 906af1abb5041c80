"""Which weights the grounding classifier runs on, and what their training wrote down of them.

The user's choice comes first: a model on the hub, a folder named on the methods page, a folder `grounding-classifier` under
GROUNDSCOPE_MODELS. Where there is none, it is the model that comes with this project.
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from evaluation.errors import ScorerUnavailable
from evaluation.finetuning import RECORD, record
from evaluation.places import settings
from scorers import _weights
from scorers._weights import Weights

SHIPPED = Weights("grounding-minilm", "1", shipped="grounding-minilm")
USERS = Weights("grounding-classifier", "folder")
"""A folder that the user names or puts under GROUNDSCOPE_MODELS."""
SETTING = "grounding_classifier"
"""Holds the hub model that the user chose."""
HUB_ID = re.compile(r"([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})@([0-9a-f]{40})")

_OWN = "finetuned/"
_CARD_LIMIT = 200_000
"""Characters of a model card that are read."""


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


def chosen() -> Weights:
    """What the user chose, or else what comes with the project; where a checkout has none, what the user may still name."""
    found = HUB_ID.fullmatch(str(settings().get(SETTING, "")))
    if found:
        return Weights(found[1], found[2])
    shipped = (_weights.SHIPPED / SHIPPED.shipped / "config.json").is_file()
    return SHIPPED if shipped and not USERS.put_here() else USERS


def own(name: str) -> Weights:
    """Those of a model that the user fine-tuned."""
    return _OwnWeights(f"{_OWN}{name}", "folder")


def own_name(weights: Weights) -> str:
    """The name of a model that the user fine-tuned; empty for others."""
    return weights.model.removeprefix(_OWN) if weights.model.startswith(_OWN) else ""


def made(weights: Weights) -> dict[str, Any]:
    """What the training wrote down; empty where the weights are not here or came without a record."""
    try:
        folder = weights.folder()
        return _read(folder, (folder / RECORD).stat().st_mtime_ns)
    except (OSError, ScorerUnavailable):
        return {}


def evidence(weights: Weights) -> dict[str, Any]:
    """The parameters of `PairMethod` that make it read as much evidence as the model was trained on; empty where unknown."""
    count = _about(made(weights)).get("evidence")
    return {"context_unit": "nearest", "window": count} if type(count) is int and count > 1 else {}


def threshold(weights: Weights) -> tuple[float, str] | None:
    """The threshold that was tuned on dev, of whole responses or else of pairs, and on which of the two; None = not known."""
    found = made(weights)
    for figures, what in ((found.get("responses"), "responses"), (found.get("dev_after"), "pairs")):
        value = figures.get("threshold") if isinstance(figures, dict) else None
        if isinstance(value, int | float) and 0.0 <= value <= 1.0:
            return float(value), what
    return None


def licence(weights: Weights) -> str:
    """The terms of the weights as their training was told them; empty where it was not."""
    said = _about(made(weights)).get("Licence")
    return said if isinstance(said, str) else ""


def card(weights: Weights) -> str:
    """The model card, Markdown; empty where there is none."""
    try:
        with (weights.folder() / "README.md").open(encoding="utf-8", errors="replace") as file:
            return file.read(_CARD_LIMIT)
    except (OSError, ScorerUnavailable):
        return ""


def _about(found: dict[str, Any]) -> dict[str, Any]:
    about = found.get("about")
    return about if isinstance(about, dict) else {}


@lru_cache(maxsize=16)
def _read(folder: Path, _changed: int) -> dict[str, Any]:
    return record(folder)
