"""Data frames with a column a metric: what Ragas and TruLens give, as CSV or JSON.

Ragas (Es et al. 2024): `evaluate(...).to_pandas()`, the metrics beside the columns of the data set; older versions name fields
question and answer. TruLens: `get_records_and_feedback()`, a column a feedback function; what it cost and called is no score.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from groundscope.cases.formats import Values
from groundscope.files import fields
from groundscope.files.rows import Rejected, Row
from groundscope.grounding.imported._entries import MetricScore, ScoredAnswer, Tool, any_number, each, name_of, text, words

_INDEX = re.compile(r"(|unnamed: \d+|level_\d+)", re.IGNORECASE)
_NO_SCORE = {
    *("index", "rank", "row", "latency", "seconds", "duration", "time", "cost", "price", "token", "tokens", "count", "length"),
    *("temperature", "seed"),
}
_METRIC = re.compile(
    r"faithful|ground|relevan|correct|precision|recall|hallucin|similar|toxic|coheren|adheren|score", re.IGNORECASE
)
_NEW, _OLD = ("user_input", "response"), ("question", "answer")
_OF_RAGAS = {
    *("user_input", "response", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids"),
    *("reference", "multi_responses", "rubrics", "rubric", "reference_tool_calls", "reference_topics", "persona_name"),
    *("query_style", "query_length", "synthesizer_name"),
    *("question", "answer", "contexts", "ground_truth", "ground_truths", "case_id", "id", "episode_done", "evolution_type"),
}
_REASONS = ("_reason", "_explanation")
_OF_TRULENS = {
    *("app_id", "app_name", "app_version", "app_json", "type", "record_id", "input", "output", "tags", "ts", "record_json"),
    *("cost_json", "perf_json", "latency", "total_tokens", "total_cost", "cost_currency", "case_id", "id", "num_events"),
}
_CALLS = "_calls"
_COST = " feedback cost in USD"
"""What TruLens calls the cost of a feedback function; `total_cost` and `latency` are those of the judged application."""


def _ragas(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer[MetricScore] | Rejected]:
    query, response = _NEW if any(row.values.keys() >= set(_NEW) for row in rows) else _OLD
    return _table(file, rows, query, response, lambda name: name in _OF_RAGAS or name.endswith(_REASONS), _ragas_reason)


def _ragas_reason(values: Values, metric: str) -> str:
    return next((found for ending in _REASONS if (found := words(values.get(metric + ending)))), "")


def _trulens(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer[MetricScore] | Rejected]:
    def is_no_score(name: str) -> bool:
        return name in _OF_TRULENS or name.endswith(_CALLS) or " feedback cost in " in name

    return _table(file, rows, "input", "output", is_no_score, _trulens_reason)


def _trulens_reason(values: Values, metric: str) -> str:
    """What the feedback function gave as its reasons, call by call; in CSV it is not readable and left out."""
    calls = values.get(metric + _CALLS)
    reasons = []
    for call in calls if isinstance(calls, list) else []:
        meta = call.get("meta") if isinstance(call, dict) else None
        reasons += [words(meta.get(key)) for key in ("reason", "reasons")] if isinstance(meta, dict) else []
    return "\n".join(filter(None, reasons))


def _table(
    file: str,
    rows: Sequence[Row],
    query: str,
    response: str,
    is_no_score: Callable[[str], bool],
    reason: Callable[[Values, str], str],
) -> Iterator[ScoredAnswer[MetricScore] | Rejected]:
    """Read a table with a column a metric: first the rejected columns, then an entry or a rejection for each row."""
    columns, rejected = _score_columns(file, rows, is_no_score)
    yield from rejected

    def read(number: int, values: Values) -> ScoredAnswer[MetricScore]:
        costs = {name: values.get(f"{name}{_COST}") for name in columns if name in values}
        marks = {name: MetricScore(values[name], reason(values, name), cost=cost) for name, cost in costs.items()}
        return ScoredAnswer(number, text(values, (query,)), text(values, (response,)), name_of(values), marks)

    yield from each(file, ((row.number, row.values) for row in rows), read)


def _score_columns(file: str, rows: Sequence[Row], is_no_score: Callable[[str], bool]) -> tuple[list[str], list[Rejected]]:
    """The columns that hold scores, and why a column of numbers is none (row 0): its scale is another.

    A column without any number is taken only where its name is that of a metric: then the tool failed on every row.
    """
    columns: list[str] = []
    rejected: list[Rejected] = []
    for name in dict.fromkeys(key for row in rows for key in row.values):
        last_word = re.sub(r"[\W_]+", " ", name.lower()).split(" ")[-1]
        if is_no_score(name) or _INDEX.fullmatch(name.strip()) or last_word in _NO_SCORE:
            continue
        numbers, texts = _numbers(row.values.get(name) for row in rows)
        if _other_scale(numbers):
            reason = f"'{fields.clean(name)[:40]}' was not read as a score: its values do not run from 0 to 1."
            rejected.append(Rejected(file, 0, reason))
        elif numbers or (not texts and _METRIC.search(name)):
            columns.append(name)
    return columns, rejected


def _numbers(values: Iterable[object]) -> tuple[list[float], int]:
    """The numbers among them, and how many are neither a number nor missing."""
    numbers, texts = [], 0
    for value in values:
        try:
            parsed = any_number(value)
        except ValueError:
            texts += 1
        else:
            numbers += [] if parsed is None else [parsed]
    return numbers, texts


def _other_scale(numbers: Sequence[float]) -> bool:
    """Whether most lie outside 0..1, or the worst of a rating from 1 to 5 would be read as the best support."""
    outside = [n for n in numbers if not 0 <= n <= 1]
    inside = len(numbers) - len(outside)
    if any(0 < n < 1 for n in numbers):
        return len(outside) > inside
    return bool(outside) and (len(outside) >= inside or len(set(outside)) > 1)


RAGAS = Tool("ragas", "Ragas", lambda values: any(values.keys() >= set(names) for names in (_NEW, _OLD)), _ragas)
TRULENS = Tool("trulens", "TruLens", lambda values: values.keys() >= {"input", "output"}, _trulens)
