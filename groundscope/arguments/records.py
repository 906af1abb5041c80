"""Read and write arguments as JSONL: one a line with its triple, its extracted factors and its metrics.

Needed to read: `model`, `argument` (a text, or an object with the three plies), and the triple: `scenario` as scenarios are
exported, or `scenario_id` of one that is here. Optional: `wording`; `extracted.model`, what another model extracted, with lists
`current`, `tsc1` and `tsc2`; `unread`, why there is none; `extracted.human`, such lists of what a person reads in the argument.
Metrics in a file are not trusted: they are computed again.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.arguments.asking import MOST_LISTED
from groundscope.arguments.extraction import Extraction, exact, of_sets
from groundscope.arguments.mentions import read_keys
from groundscope.arguments.parsing import PLIES, of_object, read_argument
from groundscope.arguments.scenarios import from_row
from groundscope.arguments.scenarios import to_row as scenario_row
from groundscope.arguments.scoring import Score, kinds
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import CASES, Catalogue, Scenario
from groundscope.chat.json_reply import Unreadable
from groundscope.errors import DataError
from groundscope.files.fields import clean, optional
from groundscope.files.rows import Rejected, read_rows

_LONGEST_NOTE = 300


@dataclass(frozen=True, slots=True)
class Arguments:
    """What was read.

    `judged`: the good rows, extracted from by the exact extractor; none argues a triple twice for one model and wording.
    """

    name: str
    judged: tuple[Judged, ...]
    rejected: tuple[Rejected, ...] = ()


def pasted(scenario: Scenario, model: str, raw: str, catalogue: Catalogue, wording: str = "") -> Judged:
    """Take an argument that was made elsewhere, perhaps under a wording of the abstention."""
    argument = read_argument(raw)
    return Judged(scenario, " ".join(clean(model).split())[:80], wording, argument, exact(argument.plies, catalogue))


def read_arguments(name: str, data: bytes, catalogue: Catalogue, scenarios: Sequence[Scenario] = ()) -> Arguments:
    """Read a file of arguments."""
    by_id = {s.id: s for s in scenarios}
    triples: dict[str, Scenario] = {}
    arguments: dict[tuple[str, str, str], Judged] = {}
    rejected: list[Rejected] = []
    for row in read_rows(name, data):
        if isinstance(row, Rejected):
            rejected.append(row)
            continue
        try:
            argument = _judged(row.values, catalogue, by_id)
            key = (argument.scenario.id, argument.arguer, argument.wording)
            if key in arguments:
                raise ValueError("This model argued this triple in an earlier row.")
            if triples.setdefault(argument.scenario.id, argument.scenario) != argument.scenario:
                raise ValueError("Its triple has the id of another one in an earlier row; give each triple an id of its own.")
            arguments[key] = argument
        except ValueError as error:
            rejected.append(Rejected(name, row.number, str(error)))
    if not arguments:
        raise DataError(f"{name}, row {rejected[0].row}: {rejected[0].reason}" if rejected else f"{name} holds no row.")
    return Arguments(name, tuple(arguments.values()), tuple(rejected))


def _judged(row: Mapping[str, Any], catalogue: Catalogue, scenarios: Mapping[str, Scenario]) -> Judged:
    values = dict(row)
    model = optional(values, "model")
    if model is None or not model.strip():
        raise ValueError("'model' is missing.")
    raw = values.get("argument")
    if isinstance(raw, dict):
        try:
            argument = of_object(raw)
        except Unreadable:
            raise ValueError(f"'argument' must be a text, or an object with {', '.join(PLIES)}.") from None
    elif isinstance(raw, str):
        argument = read_argument(raw)
    else:
        raise ValueError("'argument' is missing, or is no text.")
    wording = " ".join((optional(values, "wording") or "").split())[:40]
    scenario = _scenario(values, catalogue, scenarios)
    other, human = (_lists(values.get("extracted"), name, catalogue) for name in ("model", "human"))
    unread = " ".join((optional(values, "unread") or "").split())[:_LONGEST_NOTE] if other is None else ""
    extraction = exact(argument.plies, catalogue)
    return Judged(scenario, " ".join(model.split())[:80], wording, argument, extraction, other, unread=unread, human=human)


def _lists(extracted: object, name: str, catalogue: Catalogue) -> Extraction | None:
    """What another model or a person extracted, as rows are exported."""
    lists = extracted.get(name) if isinstance(extracted, dict) else None
    if lists is None:
        return None
    if not isinstance(lists, dict) or not all(_texts(lists.get(case)) for case in CASES):
        raise ValueError(f"'extracted.{name}' must hold lists of factors: {', '.join(CASES)}.")
    note = lists.get("note")
    sets = [frozenset(key for w in lists[case] for key in read_keys(clean(w), catalogue)) for case in CASES]
    return of_sets(sets, clean(note)[:_LONGEST_NOTE] if isinstance(note, str) else "")


def _texts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= MOST_LISTED and all(isinstance(v, str) for v in value)


def _scenario(values: dict[str, Any], catalogue: Catalogue, scenarios: Mapping[str, Scenario]) -> Scenario:
    value = values.get("scenario")
    if isinstance(value, dict):
        return from_row(value, catalogue)
    name = optional(values, "scenario_id") or (value if isinstance(value, str) else None)
    if name is None:
        raise ValueError("'scenario' is missing: give the triple, or the 'scenario_id' of one that is here.")
    if name not in scenarios:
        raise ValueError("Its 'scenario_id' is that of no scenario that is here.")
    return scenarios[name]


def to_row(judged: Judged, catalogue: Catalogue) -> dict[str, Any]:
    """Write an argument with everything that is known of it as one JSON object."""
    plies: Any = (
        dict(zip(PLIES, judged.argument.plies, strict=True)) if len(judged.argument.plies) == len(PLIES) else judged.argument.text
    )
    extractors = {"exact": judged.exact, **({"model": judged.other} if judged.other else {})}
    return {
        "model": judged.arguer,
        "wording": judged.wording,
        "scenario": scenario_row(judged.scenario, catalogue),
        "argument": plies,
        "note": judged.argument.note,
        **({"unread": judged.unread} if judged.unread else {}),
        "calls": judged.cost.calls,
        "tokens": judged.cost.tokens,
        "dollars": judged.cost.price,
        "extracted": {name: _extracted(found, judged.score(name)) for name, found in extractors.items()}
        | ({"human": _extracted(judged.human, judged.checked)} if judged.human else {}),
    }


def _extracted(extraction: Extraction, score: Score | None) -> dict[str, Any]:
    sets = {case: sorted(keys) for case, keys in zip(CASES, extraction.sets, strict=True)}
    if score is None:
        return {**sets, "note": extraction.note}
    errors = {
        kind.replace(" ", "_"): {case: sorted(keys) for case, keys in zip(CASES, by_case, strict=True)}
        for kind, by_case in kinds(score).items()
    }
    figures = {"acc_h": score.acc_h, "rec_u": score.rec_u, "abstained": score.abstained}
    return {**sets, "note": extraction.note, **figures, **errors}


def to_jsonl(arguments: Sequence[Judged], catalogue: Catalogue) -> str:
    """Write arguments as JSONL."""
    return "".join(json.dumps(to_row(one, catalogue), ensure_ascii=False) + "\n" for one in arguments)
