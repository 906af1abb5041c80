"""Fitted ensembles and cascades for tests, and scorers of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from groundscope.methods import registry
from groundscope.training.cascade_files import CascadePart, FittedCascade
from groundscope.training.ensemble_features import feature_names
from groundscope.training.ensembles import FittedEnsemble, write


def ensemble(*methods: str, weights: dict[str, float] | None = None, **parts: Any) -> FittedEnsemble:
    """Supports speak for a sentence, and what differs against it, unless the weights say otherwise."""
    names = feature_names(methods)
    chosen = {name: 1.5 if name.startswith("support by") else -0.5 for name in names} | (weights or {})
    made = FittedEnsemble(
        methods, names, (0.3,) * len(names), (0.5,) * len(names), tuple(chosen[name] for name in names), 0.25, threshold=0.6
    )
    return replace(made, **parts)


def cascade(first: str, second: str, low: float = 0.1, high: float = 0.9, **parts: Any) -> FittedCascade:
    """Two methods with their own thresholds; `options` are the second's."""
    options = parts.pop("options", {})
    methods = [(first, {}), (second, options)]
    loaded = [(m, given, registry.load(m, **given)) for m, given in methods]
    found = [CascadePart(m, m, made.signature, made.about.threshold or 0.5, given) for m, given, made in loaded]
    return replace(FittedCascade(found[0], found[1], low, high, "sentences", 0.5), **parts)


def cascade_of(made: FittedCascade, path: Path) -> Any:
    """The scorer of a cascade that lies in a file."""
    write(made, path / "mine.json")
    return registry.load("cascade", path=path / "mine.json")


class Folder:
    """A folder that ensembles are written to and loaded from."""

    def __init__(self, path: Path, **parameters: Any) -> None:
        self._path, self._parameters = path, parameters

    def __call__(self, made: FittedEnsemble, name: str = "mine", **parameters: Any) -> Any:
        """The scorer of an ensemble that lies in a file."""
        write(made, self._path / f"{name}.json")
        return registry.load("ensemble", path=self._path / f"{name}.json", **{**self._parameters, **parameters})
