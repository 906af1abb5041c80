"""The hand-made files of public data sets, and ways to read them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from groundscope.cases.dataset import LoadedDataset, read, read_many
from groundscope.types import Case

FOLDER = Path(__file__).parent / "formats"
RAGTRUTH = ("ragtruth_response.jsonl", "ragtruth_source_info.jsonl")
REFCHECKER = ("refchecker_answers.json", "refchecker_references.json")

GOOD = {"id": "good", "query": "q", "context": ["c"], "response": "r"}

Rowlike = dict[str, Any]


def content(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def one(*names: str) -> LoadedDataset:
    """The one set that these files give together."""
    (found,) = read_many([(name, content(name)) for name in names])
    return found


def rows(name: str) -> list[Rowlike]:
    text = content(name).decode()
    found = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    assert isinstance(found, list)
    return found


def loaded(*values: Rowlike) -> LoadedDataset:
    return read("a.jsonl", "\n".join(map(json.dumps, values)).encode())


def evidence(case: Case) -> list[tuple[str, str]]:
    """The words of the response and those of the context, by evidence span."""
    return [
        (case.response[e.response_start : e.response_end], case.context[e.passage].text[e.start : e.end]) for e in case.evidence
    ]


SINGLE: dict[str, Callable[[], Rowlike]] = {
    "ragtruth": lambda: {**rows(RAGTRUTH[1])[0], **rows(RAGTRUTH[0])[1]},
    "lettucedetect": lambda: rows("lettucedetect.json")[0],
    "halueval": lambda: rows("halueval_qa.json")[0],
    "faithbench": lambda: json.loads(content("faithbench_batch.json")),
    "faithbench table": lambda: {"source": "s", "summary": "a", "LLM": "m", "worst-label": "Benign", "best-label": "Benign"},
    "summedits": lambda: rows("summedits.json")[1],
    "attributionbench": lambda: rows("attributionbench.jsonl")[0],
    "factcc": lambda: rows("factcc-dev.jsonl")[1],
    "aggrefact": lambda: {"dataset": "Wice", "doc": "The text.", "claim": "A text.", "label": 1},
    "pairs": lambda: {"document": "The text.", "claim": "A text.", "label": "supported", "dataset": "d"},
    "lettucedetect v2": lambda: rows("lettucedetect_v2.jsonl")[0],
    "deepeval": lambda: json.loads(content("deepeval.json")),
    "ragas": lambda: rows("ragas_dataset.jsonl")[2],
    "trulens": lambda: rows("trulens_records.json")[1],
    "expertqa": lambda: rows("expertqa.jsonl")[0],
    "refchecker": lambda: {**rows(REFCHECKER[1])[0], **rows(REFCHECKER[0])[0]},
    "contractnli": lambda: rows("contractnli_rows.jsonl")[0],
    "release": lambda: json.loads(content("contractnli_release.json")),
    "ragbench": lambda: rows("ragbench.jsonl")[0],
}
"""A good row of each shape, with its source where the data set keeps it apart."""
