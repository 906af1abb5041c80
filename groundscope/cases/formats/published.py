"""Public data sets that need no code: one declaration a data set says which field is what.

- LLM-AggreFact (Tang et al. 2024): claims of eleven data sets about documents, supported (1) or not (0).
- AggreFact (Tang et al. 2023): summaries of nine older sets, its `cut` is the split.
- SummEdits (Laban et al. 2023): a document and an edited summary, consistent (1) or not (0).
- AttributionBench (Li et al. 2024): a claim of an answer and what annotators took from the pages that it cites.
- FactCC (Kryscinski et al. 2020): a claim about a news text, without spans: its own count tokens of a tokenizer.
- WiCE (Kamoi et al. 2023): a claim of Wikipedia and the sentences of the page that it cites, with those that support it.
- BEGIN (Dziri et al. 2022): a turn of a dialogue and the knowledge it should rest on; a generic one is neither.
- HaluBench (Ravi et al. 2024): a question, a passage and an answer, PASS or FAIL.
- QAGS (Wang et al. 2020) and FRANK (Pagnoni et al. 2021): sentences of summaries with votes; the majority counts.
- FELM (Chen et al. 2023): an answer in segments, each true or false, with the texts behind its links.
- TofuEval (Tang et al. 2024): sentences of summaries of a meeting on a topic; documents come as another file.
- Pairs of a document and a claim with two or three labels, as TRUE (Honovich et al. 2022), VitaminC and others are published.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import Any

from groundscope.cases.formats import _format as licences
from groundscope.cases.formats._format import FILE_NAME, Halves, Shape, Values
from groundscope.cases.formats._mapped import FieldMapping, published
from groundscope.cases.formats.ragtruth import SUMMARISE
from groundscope.files import fields
from groundscope.types import Case, EvidenceSpan

AGGREFACT = published(
    "LLM-AggreFact",
    FieldMapping("doc", "claim", label="label", area="dataset"),
    ("dataset",),
    licence=licences.AGGREFACT,
    rank=96,
)
ATTRIBUTIONBENCH = published(
    "AttributionBench",
    FieldMapping("references", "claim", "question", "attribution_label", group="question", area="src_dataset"),
    rank=15,
)
BEGIN = published("BEGIN", FieldMapping("knowledge", "response", "message", "begin_label", area="data_source"), rank=20)
HALUBENCH = published(
    "HaluBench",
    FieldMapping("passage", "answer", "question", "label", area="source_ds"),
    ("source_ds",),
    licence=licences.HALUBENCH,
    rank=20,
)
QAGS = published(
    "QAGS",
    FieldMapping("article", "", sentence="summary_sentences.sentence", sentence_label="summary_sentences.responses.response"),
    query=SUMMARISE,
    rank=20,
)
FRANK = published(
    "FRANK",
    FieldMapping(
        "article",
        "summary",
        grounded=("NoE",),
        split="split",
        sentence="summary_sentences",
        sentence_label="summary_sentences_annotations",
        area="model_name",
    ),
    query=SUMMARISE,
    rank=19,
)
FELM = published(
    "FELM",
    FieldMapping(
        "ref_contents", "response", "prompt", sentence="segmented_response", sentence_label="labels", id="index", area="domain"
    ),
    licence=licences.FELM,
    rank=20,
)
FELM_HALVES = Halves(
    answers=lambda values: values.keys() >= {"segmented_response", "labels", "ref"} and "ref_contents" not in values,
    sources=lambda _: False,
    key="index",
    alone="These are FELM's answers with links (ref) and without the texts behind them: add these texts as a list, ref_contents.",
)
TOFUEVAL = published(
    "TofuEval",
    FieldMapping("source", "summ_sent", "topic", "sent_label", group="doc_id", area="model_name"),
    rank=20,
)
TOFUEVAL_HALVES = Halves(
    answers=lambda values: values.keys() >= {"doc_id", "summ_sent", "sent_label"} and "source" not in values,
    sources=lambda values: values.keys() in ({"doc_id", "source"}, {"meeting_id", "source"}),
    key="doc_id",
    other="meeting_id",
    alone="These are TofuEval's sentences without their documents: make the files of documents as its README says (doc_id or "
    "meeting_id, and source), and load them together.",
)

AGGREFACT_SOTA = published(
    "AggreFact",
    FieldMapping("doc", "summary", label="label", split="cut", area="origin"),
    ("origin", "cut"),
    query=SUMMARISE,
    rank=69,
)
_DOMAIN = re.compile(r"([a-z_]+?)_\d+_")


def _domain(values: Values) -> str:
    """The domain, which some files have in the id alone (`sales_email_1_og`), and others as their own name."""
    in_id = _DOMAIN.match(fields.optional(values, "id") or "")
    file = fields.clean(str(values.get(FILE_NAME, ""))).removeprefix("summedits").strip("_-")
    return fields.optional(values, "domain") or (in_id[1] if in_id else file)


SUMMEDITS = published(
    "SummEdits",
    FieldMapping("doc", "summary", label="label"),
    query=SUMMARISE,
    licence=lambda values: licences.SUMMEDITS_SAMSUM if _domain(values).lower().startswith("samsum") else "",
    rank=70,
    completed=lambda case, values: replace(case, area=_domain(values)),
)


def _augmented(case: Case, values: Values) -> Case:
    return replace(case, area=" · ".join(filter(None, ("Summaries", fields.optional(values, "augmentation")))))


_FACTCC = published("FactCC", FieldMapping("text", "claim", label="label"), query=SUMMARISE, rank=95, completed=_augmented)
FACTCC = replace(_FACTCC, fits=lambda values: _FACTCC.fits(values) and values["label"] in ("CORRECT", "INCORRECT"))

_WICE = published("WiCE", FieldMapping("evidence", "claim", label="label", id="meta.id"), ("supporting_sentences",), rank=20)


def _wice(values: Values, default_id: str) -> Iterator[Case | str]:
    """The sentences of the page as one text; those that support the claim, in any of the sets, are gold evidence."""
    lines = values["evidence"]
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise ValueError("'evidence' must be a list of sentences.")
    for case in _WICE.cases({**values, "evidence": ["\n".join(lines)]}, default_id):
        starts = [0, *accumulate(len(line) + 1 for line in lines)]
        cited = sorted(_numbers(values["supporting_sentences"]))
        spans = (
            EvidenceSpan(0, len(case.response), 0, starts[i], starts[i] + len(lines[i]))
            for i in cited
            if isinstance(case, Case) and i < len(lines) and lines[i]
        )
        yield case if isinstance(case, str) else replace(case, evidence=tuple(spans))


def _numbers(sets: Any) -> set[int]:
    if not isinstance(sets, list):
        return set()
    flat = [number for item in sets for number in (item if isinstance(item, list) else [item])]
    return {number for number in flat if isinstance(number, int) and number >= 0}


WICE = replace(_WICE, cases=_wice)

_DOCUMENTS = ("grounding", "document", "doc", "premise", "evidence")
_CLAIMS = ("generated_text", "claim", "hypothesis", "statement")


def _pair(values: Values) -> Shape | None:
    document, claim = (next((name for name in names if isinstance(values.get(name), str)), "") for names in (_DOCUMENTS, _CLAIMS))
    if not (document and claim and "label" in values):
        return None
    return published("claims about documents", FieldMapping(document, claim, label="label", area="dataset"), rank=110)


PAIRS = Shape(
    "claims about documents",
    lambda values: _pair(values) is not None,
    lambda values, default_id: (_pair(values) or AGGREFACT).cases(values, default_id),
    rank=110,
    labels=AGGREFACT.labels,
    uses=frozenset({"label", "split"}),
)
