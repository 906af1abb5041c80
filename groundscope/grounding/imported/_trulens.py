"""TruLens: the data frame of `get_records_and_feedback()` as CSV or JSON; a column a feedback function."""

from collections.abc import Iterator, Sequence

from groundscope.cases.formats import Values
from groundscope.files.rows import Rejected, Row
from groundscope.grounding.imported._entries import ScoredAnswer, Tool, table, words

_KNOWN = {
    *("app_id", "app_name", "app_version", "app_json", "type", "record_id", "input", "output", "tags", "ts", "record_json"),
    *("cost_json", "perf_json", "latency", "total_tokens", "total_cost", "cost_currency", "case_id", "id", "num_events"),
}
_CALLS = "_calls"


def entries(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer | Rejected]:
    """Read the records of a data frame; what a feedback function cost and called is no score.

    Args:
        file: name of the file, for messages.
        rows: of the whole file.

    Returns:
        Entries and rejections as `groundscope.grounding.imported._entries.table` yields them.
    """
    return table(file, rows, "input", "output", _known, _reason)


def _known(name: str) -> bool:
    return name in _KNOWN or name.endswith(_CALLS) or " feedback cost in " in name


def _reason(values: Values, metric: str) -> str:
    """What the feedback function gave as its reasons, call by call; in CSV it is not readable and left out."""
    calls = values.get(metric + _CALLS)
    found = []
    for call in calls if isinstance(calls, list) else []:
        meta = call.get("meta") if isinstance(call, dict) else None
        found += [words(meta.get(key)) for key in ("reason", "reasons")] if isinstance(meta, dict) else []
    return "\n".join(filter(None, found))


TOOL = Tool("trulens", "TruLens", lambda values: values.keys() >= {"input", "output"}, entries)
