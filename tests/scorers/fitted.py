"""Fitted ensembles for tests, and scorers of them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from groundscope.methods import registry
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


class Folder:
    """A folder that ensembles are written to and loaded from."""

    def __init__(self, path: Path, **parameters: Any) -> None:
        self._path, self._parameters = path, parameters

    def __call__(self, made: FittedEnsemble, name: str = "mine", **parameters: Any) -> Any:
        """The scorer of an ensemble that lies in a file."""
        write(made, self._path / f"{name}.json")
        return registry.load("ensemble", path=self._path / f"{name}.json", **{**self._parameters, **parameters})
