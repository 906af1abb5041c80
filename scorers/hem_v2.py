"""HEM V2: Vectara's hallucination evaluation model 2.1 on (context unit, sentence) (paper, section 5.2).

The encoder of flan-t5-base with two outputs for the first token of a prompt that holds both texts; support is the softmax of
the second one, P(the sentence is consistent with the context unit). A sentence's support is the maximum over context
units, the response's the minimum over sentences.

The published model asks to run code of its own, which is not done: the network is built from flan-t5-base's
configuration, every key of the weights file must have its place, and the prompt is read, as text, from the published
configuration file.

Departs from the paper: it does not say what a context unit is nor how sentences are joined (`context_unit`, `aggregation`);
what is longer than 2,048 tokens is read in overlapping windows; runs in bf16 where the processor has it.
"""

import ast
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from groundscope.errors import ScorerUnavailable
from groundscope.methods import EVEN, About, Published
from groundscope.models.pairs.encoders import PairPrompt
from groundscope.models.pairs.method import PairMethod, Sanity
from groundscope.models.pairs.models import LoadedModel
from groundscope.models.pairs.scoring import softmax
from groundscope.models.weights import checkpoint
from groundscope.models.weights.files import WeightFiles, fingerprint

WEIGHTS = WeightFiles(
    "vectara/hallucination_evaluation_model",
    "8e4a2e6e96c708cc76c2344f7e4757df2515292c",
    branch="hhem-2.1-open",
    megabytes=439,
    extra=("configuration_hhem_v2.py",),
)
FOUNDATION = WeightFiles("google/flan-t5-base", "7bcac572ce56db69c1ea7c8af255c5d7c9672fc2", megabytes=4, tokenizer_only=True)
LIMIT = 2_048
CONSISTENT = 1

_PREFIX = "t5."
_TIED = ("transformer.shared.weight", "transformer.encoder.embed_tokens.weight")
"""One matrix under two names, of which files hold either or both."""


@dataclass(frozen=True)
class HemV2(PairMethod):
    """HHEM-2.1-Open; the parameters are those of `PairMethod`."""

    weights: WeightFiles = WEIGHTS
    foundation: WeightFiles = FOUNDATION

    input = f"published prompt|{LIMIT} tokens"
    # As printed on the model card.
    sanity = (
        Sanity("The capital of France is Berlin.", "The capital of France is Paris.", 0.0111),
        Sanity("I am in California", "I am in United States.", 0.6474),
        Sanity("I am in United States", "I am in California.", 0.1290),
        Sanity("A person on a horse jumps over a broken down airplane.", "A person is outdoors, on a horse.", 0.8969),
        Sanity("Mark Wahlberg was a fan of Manny.", "Manny was a fan of Mark Wahlberg.", 0.0543),
    )

    about: ClassVar[About] = About(
        title="HEM V2",
        measures="How likely a sentence is consistent with its best source sentence, by Vectara's hallucination model 2.1.",
        threshold=0.5,
        threshold_source=EVEN,
        needs="the weights of HHEM-2.1-Open (439 MB) and flan-t5-base's tokenizer (4 MB)",
        licence="Apache-2.0",
        paper="5.2",
        published=Published.aggrefact(71.8),
    )

    @property
    def needed(self) -> tuple[WeightFiles, ...]:
        """The model, and the configuration and tokenizer that it is built on."""
        return self.weights, self.foundation

    def _load(self) -> LoadedModel:
        folder, foundation = self.weights.folder(), self.foundation.folder()
        template = prompt_template(folder, self.weights.name)
        model = _network(folder, foundation, self.weights.name, self.foundation.name)
        tokenizer = checkpoint.load_tokenizer(foundation, self.foundation.name, model.config.vocab_size)
        encoder, read = PairPrompt(tokenizer, template, LIMIT), partial(softmax, index=CONSISTENT)
        return LoadedModel(model, encoder, tokenizer.pad_token_id, fingerprint(folder), read, first_token=True)


def prompt_template(folder: Path, name: str) -> str:
    """Read the prompt, the value of the class attribute `prompt`, from the published configuration, without running it.

    `ScorerUnavailable` if the file is missing, or holds no such text with `{text1}` before `{text2}`.
    """
    try:
        tree = ast.parse((folder / "configuration_hhem_v2.py").read_text(encoding="utf-8"))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        raise ScorerUnavailable(
            f"The folder with the weights of {name} has no readable configuration_hhem_v2.py; get them again."
        ) from None
    for node in (n for cls in tree.body if isinstance(cls, ast.ClassDef) for n in cls.body):
        names = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        if any(isinstance(n, ast.Name) and n.id == "prompt" for n in names) and isinstance(node, ast.Assign | ast.AnnAssign):
            value = node.value.value if isinstance(node.value, ast.Constant) else None
            if isinstance(value, str) and 0 <= value.find("{text1}") < value.find("{text2}"):
                return value
    raise ScorerUnavailable(f"The configuration of {name} states no prompt with places for both texts; get the weights again.")


def _network(folder: Path, foundation: Path, name: str, foundation_name: str) -> Any:
    base_config = checkpoint.config(foundation, foundation_name)
    checkpoint.check_config(
        {**base_config, "id2label": {"0": "", "1": ""}}, checkpoint.ExpectedCheckpoint(foundation_name, ("t5",), labels=2)
    )
    file = checkpoint.weights_file(folder, checkpoint.ExpectedCheckpoint(name, ("t5",), labels=2))
    with checkpoint.readable(name):
        from safetensors.torch import load_file
        from transformers import T5Config, T5ForTokenClassification

        tensors = {key.removeprefix(_PREFIX): tensor for key, tensor in load_file(file).items()}
        tied = [key for key in _TIED if key in tensors]
        tensors |= {key: tensors[tied[0]] for key in _TIED if tied}
        config = T5Config.from_dict({**base_config, "num_labels": 2})
        model = T5ForTokenClassification(config)
        result = model.load_state_dict(tensors, strict=False)
    checkpoint.check_keys(name, result.missing_keys, result.unexpected_keys)
    return model.eval()  # type: ignore[no-untyped-call]
