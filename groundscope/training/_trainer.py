"""Loads the base and trains it with CrossEncoderTrainer: evaluation on dev, progress, early stopping and resume."""

import gc
import logging
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import Cancelled, DataError, OutOfMemory, ScorerUnavailable
from groundscope.models.batches import encodable
from groundscope.runtime.machine import processor_flags, stamp
from groundscope.training.folders import checkpoints, reached
from groundscope.training.options import Options, TrainingProgress
from groundscope.training.pair_figures import at_half, figures
from groundscope.training.pairs import Pair

_ANY_OUTPUT = {"ignore_mismatched_sizes": True}
"""An output layer for other labels than this one is replaced."""


def in_hardware() -> bool:
    """Whether bf16 is computed in hardware here: by the GPU where there is one, else by AMX or AVX-512 BF16."""
    import torch

    if torch.cuda.is_available():
        return bool(torch.cuda.is_bf16_supported())
    return bool({"amx_bf16", "avx512_bf16"} & processor_flags())


def load(base: Path, options: Options) -> Any:
    """Load the base as a CrossEncoder with one output, seeded, on the GPU where there is one."""
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


_METRIC = "dev_f1"
_BATCHES = 50
"""So many are drawn at once and sorted by length: padding all but vanishes, and the order stays random enough."""


def train(
    pairs: Sequence[Pair],
    dev: Sequence[Pair],
    base: Path,
    place: Path,
    options: Options,
    watch: Callable[[TrainingProgress], None],
) -> dict[str, Any]:
    """Train and write `place/model`, and give the figures for the record; `place/checkpoints` allow a resume."""
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with _quiet():
        from datasets import Dataset
        from sentence_transformers.cross_encoder import CrossEncoderTrainer
        from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
        from transformers import PrinterCallback

        model = load(base, options)
        before = _measured(model, dev)
        arguments = _arguments(checkpoints(place), options, len(pairs))
        # In the order that the loss takes them.
        columns = {"evidence": [encodable(p.evidence) for p in pairs], "sentence": [encodable(p.sentence) for p in pairs]}
        data = Dataset.from_dict({**columns, "label": [float(p.label) for p in pairs]})
        watching, *others = _callbacks(options, watch)
        trainer = CrossEncoderTrainer(
            model=model,
            args=arguments,
            train_dataset=data,
            loss=BinaryCrossEntropyLoss(model),
            evaluator=_evaluator(dev),
            callbacks=[watching, *others],
        )
        trainer.remove_callback(PrinterCallback)
        last = reached(place)
        trainer.train(resume_from_checkpoint=str(last) if last else None)
        if watching.cancelled:
            raise watching.cancelled
        after = _measured(model, dev)
        _save(model, place / "model", options)
        state = trainer.state
        result = {
            "steps": state.global_step,
            "stopped_early": state.global_step < state.max_steps,
            "losses": [[h["step"], round(h["loss"], 5)] for h in state.log_history if "loss" in h],
            "evaluations": [
                [h["step"], round(h[f"eval_{_METRIC}"], 4), round(h["eval_dev_auroc"], 4)]
                for h in state.log_history
                if f"eval_{_METRIC}" in h
            ],
            "dev_before": before,
            "dev_after": after,
            "precision": "bf16" if arguments.bf16 else "fp32",
            "machine": list(stamp()),
        }
        del trainer, model
        gc.collect()
        return result


def _arguments(checkpoints: Path, options: Options, count: int) -> Any:
    import torch
    from sentence_transformers.cross_encoder import CrossEncoderTrainingArguments

    an_epoch = max(1, math.ceil(count / options.batch))
    every = max(1, an_epoch // options.evaluations)
    return CrossEncoderTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=options.epochs,
        per_device_train_batch_size=options.batch,
        per_device_eval_batch_size=options.batch,
        learning_rate=options.rate,
        warmup_steps=0.1,
        weight_decay=0.01,
        bf16=options.bf16 and in_hardware(),
        use_cpu=not torch.cuda.is_available(),
        seed=options.seed,
        data_seed=options.seed,
        batch_sampler=by_length,
        eval_strategy="steps",
        eval_steps=every,
        save_strategy="steps",
        save_steps=every,
        save_total_limit=2,
        load_best_model_at_end=True,
        restore_callback_states_from_checkpoint=True,
        metric_for_best_model=_METRIC,
        greater_is_better=True,
        logging_steps=max(1, min(every, 10)),
        report_to="none",
        disable_tqdm=True,
        dataloader_pin_memory=False,
    )


def by_length(dataset: Any, **named: Any) -> Any:
    """Batches of pairs of about the same length, in an order that the seed and the epoch decide."""
    import torch
    from sentence_transformers.base.sampler import DefaultBatchSampler

    lengths = [len(a) + len(b) for a, b in zip(dataset["evidence"], dataset["sentence"], strict=True)]

    class ByLength(DefaultBatchSampler):
        def __iter__(self) -> Iterator[list[int]]:
            draw = torch.Generator().manual_seed(self.seed + self.epoch)
            order = torch.randperm(len(lengths), generator=draw).tolist()
            for start in range(0, len(order), _BATCHES * self.batch_size):
                drawn = sorted(order[start : start + _BATCHES * self.batch_size], key=lengths.__getitem__)
                batches = [drawn[i : i + self.batch_size] for i in range(0, len(drawn), self.batch_size)]
                for at in torch.randperm(len(batches), generator=draw).tolist():
                    yield batches[at]

    return ByLength(dataset, **named)


def _evaluator(dev: Sequence[Pair]) -> Any:
    from sentence_transformers.base.evaluation import BaseEvaluator

    class OnDev(BaseEvaluator):
        def __init__(self) -> None:
            super().__init__()  # type: ignore[no-untyped-call]
            self.primary_metric = _METRIC
            self.greater_is_better = True

        def __call__(self, model: Any, *_: Any, **__: Any) -> dict[str, float]:
            measured = figures(_supports(model, dev), _labels(dev))
            return {_METRIC: measured["macro_f1"], "dev_auroc": measured["auroc"]}

    return OnDev()


def _callbacks(options: Options, watch: Callable[[TrainingProgress], None]) -> list[Any]:
    from transformers import EarlyStoppingCallback, TrainerCallback

    class Watching(TrainerCallback):
        def __init__(self) -> None:
            self.started = self.reported = time.perf_counter()
            self.cancelled: Cancelled | None = None

        def _tell(self, state: Any, control: Any, **more: float) -> None:
            self.reported = time.perf_counter()
            try:
                watch(TrainingProgress(state.global_step, state.max_steps, self.reported - self.started, **more))
            except Cancelled as cancelled:
                # The step is kept before the training ends.
                self.cancelled = cancelled
                control.should_save = control.should_training_stop = True

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if time.perf_counter() - self.reported > 1.0:
                self._tell(state, control)

        def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, float] | None = None, **_: Any) -> None:
            if logs and "loss" in logs:
                self._tell(state, control, loss=round(logs["loss"], 5))

        def on_evaluate(self, args: Any, state: Any, control: Any, metrics: dict[str, float] | None = None, **_: Any) -> None:
            if metrics and f"eval_{_METRIC}" in metrics:
                self._tell(state, control, dev_f1=metrics[f"eval_{_METRIC}"], dev_auroc=metrics["eval_dev_auroc"])

    class Patience(EarlyStoppingCallback):
        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            # Its counter comes back with the checkpoint, and may have run out before the model was written.
            control.should_training_stop = self.early_stopping_patience_counter >= self.early_stopping_patience

    return [Watching(), Patience(options.patience)]


def _supports(model: Any, pairs: Sequence[Pair]) -> NDArray[np.float64]:
    import torch

    predictions = model.predict(
        [(encodable(p.evidence), encodable(p.sentence)) for p in pairs],
        show_progress_bar=False,
        activation_fn=torch.nn.Sigmoid(),
        batch_size=32,
    )
    supports = np.asarray(predictions, dtype=np.float64)
    if not np.isfinite(supports).all():
        raise DataError("The model gives no numbers: choose a lower learning rate, or another base if it does so from the start.")
    return supports


def _measured(model: Any, pairs: Sequence[Pair]) -> dict[str, float]:
    supports, labels = _supports(model, pairs), _labels(pairs)
    return {**figures(supports, labels), **at_half(supports, labels)}


def _labels(pairs: Sequence[Pair]) -> NDArray[np.bool_]:
    return np.array([p.side for p in pairs])


def _save(model: Any, folder: Path, options: Options) -> None:
    """Plain transformers files: the classifier in safetensors and its tokenizer, nothing of the trainer's."""
    tokenizer = model.tokenizer
    tokenizer.model_max_length = options.longest
    model.model.save_pretrained(str(folder))
    tokenizer.save_pretrained(str(folder))


@contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no advice of the libraries: progress is this project's own."""
    from transformers.utils import logging as transformers_logging

    level = transformers_logging.get_verbosity()
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    heard = logging.getLogger("sentence_transformers")
    old = heard.level
    heard.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        heard.setLevel(old)
        transformers_logging.set_verbosity(level)
