"""DeepEval: the JSON of a test run (`testCases` with `metricsData`), or of its results; fields in either spelling."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from groundscope.cases.formats import Values
from groundscope.files.rows import Rejected, Row
from groundscope.grounding.imported._entries import MetricScore, ScoredAnswer, Tool, name_of, number, text, words

_RUNS = ("testCases", "test_cases", "test_results")
_COST, _DURATION = ("evaluationCost", "evaluation_cost"), ("runDuration", "run_duration")
_OUTPUT, _METRICS = ("actualOutput", "actual_output"), ("metricsData", "metrics_data")


def entries(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer | Rejected]:
    """Read the test cases of a run or of several, numbered from 1 through all of them; a row may be a test case itself."""
    for count, case in enumerate(_cases(rows), 1):
        try:
            yield _entry(count, case)
        except ValueError as error:
            yield Rejected(file, count, str(error))


def _cases(rows: Sequence[Row]) -> Iterator[object]:
    for row in rows:
        run = next((row.values[name] for name in _RUNS if isinstance(row.values.get(name), list)), None)
        if run is None:
            yield row.values
        else:
            yield from run


def _entry(count: int, case: object) -> ScoredAnswer:
    if not isinstance(case, dict):
        raise ValueError("A test case must be an object with an input and an output.")
    data: object = next((case[name] for name in _METRICS if case.get(name) is not None), [])
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise ValueError(f"'{_METRICS[0]}' must be a list of objects.")
    marks: dict[str, MetricScore] = {}
    for item in data:
        name = text(item, ("name",)).strip()
        earlier = sum(known == name or known.startswith(f"{name} (") for known in marks)
        marks[f"{name} ({earlier + 1})" if name in marks else name] = _mark(item)
    if len(marks) == 1:
        # The time of a test case is that of all its metrics together.
        marks = {name: replace(mark, seconds=_first(case, _DURATION)) for name, mark in marks.items()}
    return ScoredAnswer(count, text(case, ("input",)), text(case, _OUTPUT), _name(case), marks)


def _name(case: Values) -> str:
    """The id that a user left in the metadata, or the test case's own name."""
    for name in ("metadata", "additionalMetadata", "additional_metadata"):
        metadata = case.get(name)
        if isinstance(metadata, dict) and (own_name := name_of(metadata)):
            return own_name
    return name_of(case, ("name",))


def _mark(item: Values) -> MetricScore:
    reason = words(item.get("reason")) or words(item.get("error"))
    return MetricScore(item.get("score"), reason, _falling(item), cost=_first(item, _COST))


def _first(values: Values, names: Sequence[str]) -> object:
    return next((values[name] for name in names if values.get(name) is not None), None)


def _falling(item: Values) -> bool | None:
    """Whether passing means a score below the threshold, where score, threshold and success show it."""
    success = item.get("success")
    try:
        score, threshold = number(item.get("score")), number(item.get("threshold"))
    except ValueError:
        return None
    if score is None or threshold is None or score == threshold or not isinstance(success, bool):
        return None
    return success is (score < threshold)


def _fits(values: Values) -> bool:
    if any(name in values for name in _OUTPUT) and any(name in values for name in _METRICS):
        return True
    return any(isinstance(values.get(name), list) for name in _RUNS)


TOOL = Tool("deepeval", "DeepEval", _fits, entries, with_cases=True)
