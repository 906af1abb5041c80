"""The weights that a fine-tuning starts from."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from groundscope.errors import OutOfMemory, ScorerUnavailable
from groundscope.runtime.machine import processor_flags
from groundscope.training.options import Options

_ANY_OUTPUT = {"ignore_mismatched_sizes": True}
"""An output layer for other labels than this one is replaced."""


def in_hardware() -> bool:
    """Whether bf16 is computed in hardware here: by the GPU where there is one, else by AMX or AVX-512 BF16."""
    import torch

    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    return bool({"amx_bf16", "avx512_bf16"} & processor_flags())


def load(base: Path, options: Options) -> Any:
    """Load the base as a CrossEncoder with one output, seeded, on the GPU where there is one.

    Raises:
        ScorerUnavailable: its weights or its tokenizer cannot be used.
    """
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import set_seed

    # On processors transformers' other kernels take 1.5 times as long to train in bf16.
    plain = {"attn_implementation": "eager"} if options.bf16 and in_hardware() and not torch.cuda.is_available() else {}
    with _readable():
        _check(base)
        set_seed(options.seed)
        model = CrossEncoder(
            str(base),
            num_labels=1,
            max_length=options.longest,
            device="cuda" if torch.cuda.is_available() else "cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"dtype": torch.float32, **plain, **_ANY_OUTPUT},
        )
    if options.frozen_embeddings:
        model.model.get_input_embeddings().requires_grad_(False)
    return model


@contextmanager
def _readable() -> Iterator[None]:
    """Turn whatever the libraries raise on damaged files into one sentence."""
    try:
        yield
    except ScorerUnavailable:
        raise
    except MemoryError:
        raise OutOfMemory("There is not enough memory to load the base; close other programs, or choose a smaller one.") from None
    except Exception as error:  # damaged files make every library fail in its own way
        raise ScorerUnavailable(
            f"The base's weights or its tokenizer cannot be read ({type(error).__name__}); get them again or choose another."
        ) from error


def _check(base: Path) -> None:
    """Refuse a folder whose encoder would be random, or whose words would all be unknown; the libraries load both silently."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, loading = AutoModelForSequenceClassification.from_pretrained(
        str(base), num_labels=1, local_files_only=True, trust_remote_code=False, output_loading_info=True, **_ANY_OUTPUT
    )
    lacking = {*loading["missing_keys"], *(key for key, *_ in loading["mismatched_keys"])}
    inside = [key for key in lacking if key.startswith(f"{model.base_model_prefix}.") and ".pooler." not in key]
    if inside:
        raise ScorerUnavailable(f"The base's weights lack {len(inside)} layers of its encoder; get them again.")
    tokenizer = AutoTokenizer.from_pretrained(str(base), local_files_only=True, trust_remote_code=False)
    used = 1 + max(tokenizer.get_vocab().values())
    if not model.config.vocab_size // 2 <= used <= model.config.vocab_size or tokenizer.pad_token_id is None:
        raise ScorerUnavailable("The base came without the tokenizer that belongs to it; get its files again.")
