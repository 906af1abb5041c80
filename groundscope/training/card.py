"""Model card of a training: data, options, and results on dev."""

from collections.abc import Mapping
from typing import Any

from groundscope.text.humanize import markdown_cell, spell
from groundscope.training.pair_figures import AT_HALF, PAPERS_TABLE_2

_TEXT = """# {name}

A grounding classifier: for evidence (one or more sentences) and a sentence it gives one logit, whose sigmoid is the support,
0 to 1. A cross-encoder fine-tuned with Groundscope; `grounding_classifier` loads this folder.

## On dev

{dev:,} pairs of {dev_groups:,} queries. They chose when the training stopped and the threshold, so they flatter it: judge a
model by data that neither was tuned on.

| | macro-F1 at its best threshold | threshold | AUROC | Brier |
|---|---|---|---|---|
{figures}
{at_half}{responses}
## Made from

{made}

## Training

| | |
|---|---|
{training}

Evaluations on dev (step, macro-F1, AUROC): {evaluations}.

## Limits

It learned from {train:,} pairs of {train_groups:,} queries. How it judges other kinds of text is not known from the figures
above. The licence of the weights follows from the base and from the data: see above, and ask their authors.
"""


def card(name: str, record: Mapping[str, Any]) -> str:
    """Write the model card of this name from a record, as `groundscope.training.finetuning.finetune` returns it, in Markdown."""
    return _TEXT.format(
        name=markdown_cell(name),
        dev=record["pairs"]["dev"],
        dev_groups=record["groups"]["dev"],
        train=record["pairs"]["train"],
        train_groups=record["groups"]["train"],
        figures="\n".join(_figures(words, record[key]) for words, key in _ROWS if key in record),
        at_half=_at_half(record),
        responses=_responses(record.get("responses")),
        made="\n".join(f"- {markdown_cell(key)}: {markdown_cell(value)}" for key, value in _made(record)),
        training="\n".join(f"| {key} | {markdown_cell(value)} |" for key, value in _training(record)),
        evaluations="; ".join(f"{step}, {f1:.3f}, {auroc:.3f}" for step, f1, auroc in record["evaluations"]) or "none",
    )


_ROWS = (("Before the training", "dev_before"), ("After it", "dev_after"))


def _figures(words: str, measured: Mapping[str, float]) -> str:
    values = " | ".join(f"{measured[name]:.3f}" for name in ("macro_f1", "threshold", "auroc", "brier"))
    return f"| {words} | {values} |"


def _at_half(record: Mapping[str, Any]) -> str:
    """The columns of the paper's table 2; records of earlier versions have none."""
    measured = {words: record[key] for words, key in _ROWS if "precision" in record.get(key, {})}
    if not measured:
        return ""
    rows = measured | {f"The paper's {base}, on its own pairs": found for base, found in PAPERS_TABLE_2.items()}
    lines = "".join(f"| {words} | {' | '.join(f'{found[name]:.3f}' for name in AT_HALF)} |\n" for words, found in rows.items())
    return (
        "\nCalled supported from one half on, as in table 2 of Trautmann et al. 2024; means of both classes:\n\n"
        f"| | precision | recall | F1 | accuracy |\n|---|---|---|---|---|\n{lines}"
    )


def _responses(judged: Mapping[str, Any] | None) -> str:
    if not judged:
        return ""
    rows = "".join(
        f"| {markdown_cell(r['method'])} | {r['macro_f1']:.3f} | {r['threshold']:.3f} | {r['auroc']:.3f} | {r['seconds']:.3f} |\n"
        for r in judged["beside"]
    )
    return (
        f"\n{judged['responses']:,} whole responses of dev, each method at the threshold that is best there:\n\n"
        f"| method | macro-F1 | threshold | AUROC | seconds a response |\n|---|---|---|---|---|\n{rows}"
    )


def _made(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    about = [(str(key), str(value)) for key, value in record["about"].items()]
    config = record["base"]
    base = f"{config.get('model_type')}, {config.get('num_hidden_layers')} layers of {config.get('hidden_size')}"
    return [*about, ("Architecture", base), ("Pairs (hash)", f"train {record['train']}, dev {record['dev']}")]


def _training(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    options = record["options"]
    ended = f"{record['steps']:,}" + (", stopped early: dev no longer gained" if record["stopped_early"] else "")
    return [
        *((key.replace("_", " "), str(value)) for key, value in options.items()),
        ("steps", ended),
        ("precision", record["precision"]),
        ("time", spell(record["seconds"])),
        ("machine", "; ".join(record["machine"])),
    ]
