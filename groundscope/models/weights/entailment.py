"""Entailment models: the meaning of their outputs, and the models that the user added."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from groundscope.errors import ScorerUnavailable
from groundscope.models.weights.files import WeightFiles
from groundscope.models.weights.local import named_folder, save_choice
from groundscope.paths import settings

SETTING = "entailment_models"
"""Holds the models that the user added: a hub id or a folder by name."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
_HUB = re.compile(r"([A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95})(?:@([\w./-]{1,100}))?")
_MOST_LABELS = 100

# The field's words in the languages of published models.
_WORDS = {
    "entailment": (
        "entailment", "entail", "entails", "entailed", "supported", "supports", "consistent", "implication", "implicacion",
        "implicacao", "implicazione", "implikation", "folgerung", "gevolg", "wynikanie", "следование", "蕴含", "蘊含", "含意",
        "함의",
    ),
    "contradiction": (
        "contradiction", "contradict", "contradicts", "contradicted", "refuted", "refutes", "contradiccion", "contradicao",
        "contraddizione", "widerspruch", "tegenspraak", "sprzecznosc", "противоречие", "矛盾", "모순",
    ),
}  # fmt: skip


class OutputLabels(NamedTuple):
    """Which output of a classifier is entailment, and which contradiction; None where no output is contradiction alone."""

    entailment: int
    contradiction: int | None


def meaning(config: Mapping[str, Any], name: str, label: str = "") -> OutputLabels:
    """Find the outputs by their labels, whatever their place."""
    stated = config.get("id2label")
    labels = {int(k): str(v) for k, v in stated.items() if k.isdecimal() and len(k) < 4} if isinstance(stated, dict) else {}
    if len(labels) > _MOST_LABELS or sorted(labels) != list(range(len(labels))) or len(labels) < 2:
        raise ScorerUnavailable(
            f"The config.json of {name} names no labels for its outputs (id2label), so it is not known which means entailment; "
            "choose an entailment model."
        )
    words = {i: _plain(text) for i, text in labels.items()}
    accepted = (_plain(label),) if label else _WORDS["entailment"]
    outputs = [i for i, word in words.items() if word in accepted]
    shown = ", ".join("".join(c for c in text if c.isprintable())[:30] for text in list(labels.values())[:8])
    if len(outputs) != 1:
        raise ScorerUnavailable(
            f"{name} has {f'{len(outputs)} labels that mean' if outputs else 'no label that means'} entailment "
            f"among {shown}; choose an entailment model, or name the label in the option `label`."
        )
    against = [i for i, word in words.items() if word in _WORDS["contradiction"] and i not in outputs]
    return OutputLabels(outputs[0], against[0] if len(against) == 1 else None)


def _plain(text: str) -> str:
    """A label without case, accents, or anything but letters."""
    spread = unicodedata.normalize("NFKD", text.casefold())
    return "".join(c for c in spread if c.isalnum() and not unicodedata.combining(c))


def weights_of(line: str) -> WeightFiles:
    """The weights that a line of text names: a folder, or a hub id with `@revision` unless it is main."""
    text = line.strip()
    if folder := named_folder(text):
        return _Folder(folder.name, "folder", path=str(folder))
    match = _HUB.fullmatch(text)
    if not match or ".." in text:
        raise ValueError(
            "checkpoint must be a hub id such as organisation/model@commit, or a folder with a config.json, "
            f"got {''.join(c for c in text if c.isprintable())[:80]!r}"
        )
    return WeightFiles(match[1], match[2] or "main")


@dataclass(frozen=True, slots=True)
class _Folder(WeightFiles):
    """Weights in a folder that the user named."""

    path: str = ""

    def folder(self) -> Path:
        """The folder itself; `ScorerUnavailable` if it is gone."""
        if (Path(self.path) / self.marker).is_file():
            return self._ordinary(Path(self.path))
        raise ScorerUnavailable(f"The folder of the model {self.model} is gone; add the model again on the methods page.")


def added() -> dict[str, str]:
    """The models that the user added: a line for `weights_of` by name."""
    stored = settings().get(SETTING)
    return {k: v for k, v in stored.items() if isinstance(v, str) and _NAME.fullmatch(k)} if isinstance(stored, dict) else {}


def name_for(line: str) -> str:
    """A name for a model: the last part of its id or folder, in the signs that a name may have."""
    last = line.strip().partition("@")[0].rstrip("/").rpartition("/")[2].casefold()
    return re.sub(r"[^a-z0-9._-]+", "-", last).strip("-._")[:40]


def add(name: str, line: str) -> None:
    """Save a model under a name."""
    if not _NAME.fullmatch(name):
        raise ValueError("a name has small letters, digits, '.', '_' and '-', at most forty")
    weights_of(line)
    save_choice(SETTING, {**added(), name: line.strip()})


def remove(name: str) -> None:
    """Forget a model that was added; its files stay. `ScorerUnavailable` if that cannot be saved."""
    save_choice(SETTING, {k: v for k, v in added().items() if k != name} or None)
