"""Where a model's weights lie on this machine. Nothing here reaches a network.

Looked at in this order: a folder inside `GROUNDSCOPE_MODELS` named like the model (`nlpaueb/legal-bert-base-uncased`
or `legal-bert-base-uncased`), then the local hub cache at the pinned revision.
"""

import hashlib
import os
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from evaluation.errors import ScorerUnavailable

MODELS_VARIABLE = "GROUNDSCOPE_MODELS"


@dataclass(frozen=True, slots=True)
class Weights:
    """A model's published weights.

    Attributes:
        model: hub id, or the bundled package's model name.
        revision: the pinned commit, or the package version.
        package: the installed package that carries the weights; empty for hub models.
        sha256: of the weights file in that package.
    """

    model: str
    revision: str
    package: str = ""
    sha256: str = ""

    def folder(self) -> Path:
        """The folder to load from.

        Raises:
            ScorerUnavailable: not here; the message says how to get it.
        """
        if self.package:
            return self._bundled()
        for name in (self.model, self.model.rpartition("/")[2]):
            path = Path(os.environ.get(MODELS_VARIABLE, "")) / name
            if os.environ.get(MODELS_VARIABLE) and (path / "config.json").is_file():
                return path
        return self._cached()

    def _cached(self) -> Path:
        from huggingface_hub import try_to_load_from_cache

        config = try_to_load_from_cache(self.model, "config.json", revision=self.revision)
        if isinstance(config, str):
            return Path(config).parent
        raise ScorerUnavailable(
            f"The weights of {self.model} are not on this machine; run "
            f"`.venv/bin/hf download {self.model} --revision {self.revision}` once, "
            f"or put them into a folder `{self.model}` under {MODELS_VARIABLE}."
        )

    def _bundled(self) -> Path:
        spec = find_spec(self.package)
        if spec is None or spec.origin is None:
            raise ScorerUnavailable(f"The package {self.package} is missing; run `make app` again to install it.")
        folder = Path(spec.origin).parent / "model"
        digest = _sha256(folder / "model.safetensors")
        if digest != self.sha256:
            raise ScorerUnavailable(
                f"The weights in the package {self.package} are not the published ones (sha256 {digest[:12]}..., "
                f"expected {self.sha256[:12]}...); reinstall the package."
            )
        return folder


@lru_cache(maxsize=8)
def _sha256(path: Path) -> str:
    if not path.is_file():
        raise ScorerUnavailable(f"The weights file {path.name} is missing from its package; reinstall the package.")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
