"""Ragas (Es et al. 2024): `evaluate(...).to_pandas()` as CSV or JSON; a column a metric, beside those of the data set."""

from collections.abc import Iterator, Sequence

from groundscope.cases.formats import Values
from groundscope.files.rows import Rejected, Row
from groundscope.grounding.imported._entries import ScoredAnswer, Tool, table, words

_NEW, _OLD = ("user_input", "response"), ("question", "answer")
_KNOWN = {
    *("user_input", "response", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids"),
    *("reference", "multi_responses", "rubrics", "rubric", "reference_tool_calls", "reference_topics", "persona_name"),
    *("query_style", "query_length", "synthesizer_name"),
    *("question", "answer", "contexts", "ground_truth", "ground_truths", "case_id", "id", "episode_done", "evolution_type"),
}
_REASONS = ("_reason", "_explanation")


def entries(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer | Rejected]:
    """Read the rows of a data frame; older versions name the fields question and answer.

    Args:
        file: name of the file, for messages.
        rows: of the whole file.

    Returns:
        Entries and rejections as `groundscope.grounding.imported._entries.table` yields them.
    """
    query, response = _NEW if any(row.values.keys() >= set(_NEW) for row in rows) else _OLD
    return table(file, rows, query, response, lambda name: name in _KNOWN or name.endswith(_REASONS), _reason)


def _reason(values: Values, metric: str) -> str:
    return next((found for ending in _REASONS if (found := words(values.get(metric + ending)))), "")


TOOL = Tool("ragas", "Ragas", lambda values: any(values.keys() >= set(names) for names in (_NEW, _OLD)), entries)
