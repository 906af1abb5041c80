"""FaithBench (Bao et al. 2025): a batch file of summaries with the spans that annotators marked, and the table of all summaries.

As in its own script, the worst label of a summary decides: Unwanted and Questionable are ungrounded, Benign (not in the source,
but harmless) and no label at all are grounded. Where an annotator marked words of the source too, they are gold evidence.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from groundscope.cases.formats import _format as licences
from groundscope.cases.formats._format import Shape, Span, Values, group_of, merged, placed
from groundscope.cases.formats._mapped import FieldMapping, published
from groundscope.cases.formats.ragtruth import SUMMARISE
from groundscope.files import fields
from groundscope.types import Case, EvidenceSpan, Passage

_SAMPLE = {"source", "summary", "annotations"}
_WORST = ("Unwanted", "Questionable", "Benign", "Consistent")
_UNGROUNDED = ("Unwanted", "Questionable")


def _cases(values: Values, default_id: str) -> Iterator[Case | str]:
    """The summaries of a batch, or the one of a row; in a batch, the number from 1 is added to the id."""
    if "samples" not in values:
        yield _case(values, default_id)
        return
    for number, sample in enumerate(values["samples"], 1):
        try:
            if not isinstance(sample, dict) or not sample.keys() >= _SAMPLE:
                raise ValueError("it lacks a source, a summary or annotations.")
            yield _case(sample, f"{default_id}-{number}")
        except ValueError as error:
            yield f"Sample {number}: {error}"


def _case(values: Values, default_id: str) -> Case:
    source, summary = fields.text(values, "source"), fields.text(values, "summary")
    # As in its own script, an annotation without a label says nothing.
    items = [item for item in fields.items(values, "annotations") if not isinstance(item, dict) or item.get("label") != []]
    ends = ("summary_start", "summary_end")
    labelled = [(_label(item), placed(item, ends, "summary_span", summary, "annotations")) for item in items]
    worst = min((label for label, _ in labelled), key=_WORST.index, default="Consistent")
    return fields.sized(
        Case(
            id=case_id(values) or default_id,
            query=SUMMARISE,
            context=(Passage("source", source),),
            response=summary,
            grounded=worst not in _UNGROUNDED,
            contradicted=_contradicted(items) if worst == "Unwanted" else None,
            evidence=tuple(_evidence(items, [span for _, span in labelled], source)),
            unsupported=merged(span for label, span in labelled if label in _UNGROUNDED),
            split=fields.split_name(values),
            group=group_of(source),
            area=f"Summaries · {worst}",
        )
    )


def case_id(values: Values) -> str | None:
    """Name a sample by the number that is unique over all batches; `sample_id` is so in its own batch alone."""
    metadata = values.get("metadata")
    raw = fields.optional(metadata, "raw_sample_id") if isinstance(metadata, dict) else None
    return f"faithbench-{raw}" if raw else None


def _contradicted(items: list[Any]) -> bool | None:
    """Whether a summary has an intrinsic error, which twists the source; False where all are extrinsic: the source lacks them."""
    labels = [label for item in items for label in ([item["label"]] if isinstance(item["label"], str) else item["label"])]
    kinds = {label for label in map(str, labels) if label.startswith("Unwanted.")}
    return True if "Unwanted.Intrinsic" in kinds else False if kinds else None


def _label(item: object) -> str:
    """The worst of an annotation's labels; `Unwanted.Intrinsic` and the like are Unwanted."""
    field = item.get("label") if isinstance(item, dict) else None
    labels = [field] if isinstance(field, str) else field
    if not isinstance(labels, list) or not labels:
        raise ValueError("'label' of each entry of 'annotations' must be a list of labels.")
    names = [str(label).partition(".")[0] for label in labels]
    if not set(names) <= set(_WORST):
        raise ValueError(f"'label' of each entry of 'annotations' must be one of {', '.join(_WORST)}.")
    return min(names, key=_WORST.index)


def _evidence(items: list[Any], spans: list[Span], source: str) -> Iterable[EvidenceSpan]:
    """What annotators marked in the source, each once however many of them did."""
    marked = ((item, span) for item, span in zip(items, spans, strict=True) if item.get("source_span"))
    ends = ("source_start", "source_end")
    return dict.fromkeys(EvidenceSpan(*s, 0, *placed(i, ends, "source_span", source, "annotations")) for i, s in marked)


def _fits(values: Values) -> bool:
    samples = values.get("samples")
    if isinstance(samples, list):
        return any(isinstance(s, dict) and s.keys() >= _SAMPLE for s in samples)
    return values.keys() >= _SAMPLE


SHAPE = Shape("FaithBench", _fits, _cases, lambda _: licences.FAITHBENCH, rank=60)


def _completed(case: Case, values: Values) -> Case:
    """A line of the table has the worst label of a summary, without spans."""
    worst = fields.text(values, "worst-label")
    if worst not in _WORST:
        raise ValueError(f"'worst-label' must be one of {', '.join(_WORST)}.")
    return replace(case, area=" · ".join(filter(None, ("Summaries", worst, fields.optional(values, "LLM")))))


TABLE = published(
    "FaithBench (table)",
    FieldMapping("source", "summary", label="worst-label", grounded=tuple(name for name in _WORST if name not in _UNGROUNDED)),
    query=SUMMARISE,
    licence=licences.FAITHBENCH,
    rank=60,
    completed=_completed,
)
