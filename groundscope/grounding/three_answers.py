"""Three answers instead of two: the context supports a response, does not say it, or contradicts it.

Trautmann et al. 2024 judge grounded or not, and name finer answers as what is missing (limitations). What a method answers here
follows from the verdict that its rule gives: a grounded one is "supported". Any other one is "contradicted" where, of the
sentences below their threshold, the method calls the contradiction of one at least as likely as not; else "not stated". Where no
sentence is below it (a rule may look at the mean), the least supported one decides. So both readings of a run have the same
grounded responses, and no threshold is tuned for the third answer.

A method that gives no contradictions has two answers and no figures here. A response without a verdict counts as wrong in recall
and accuracy and is left out of precision, as in `groundscope.statistics.metrics`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from groundscope.grounding.level_results import PROTOCOLS, LevelResult, sentence_threshold
from groundscope.grounding.result_columns import MISSING, share
from groundscope.grounding.runs.arrays import Floats, Integers, RunData
from groundscope.grounding.tuning import Rule, goes_beyond, verdicts
from groundscope.statistics import chance
from groundscope.statistics.bootstrap import Interval, by_group, drawn_queries, limits, resampled_sums, widened
from groundscope.statistics.metrics import Labels
from groundscope.text.humanize import plural
from groundscope.types import Case

if TYPE_CHECKING:
    import pandas as pd

ANSWERS = ("Supported", "Not stated", "Contradicted")
"""A code is a place here."""
NO_ANSWER = -1
GUESS = 1 / 3
"""The macro-F1 of answers by chance, with three classes of equal shares."""
_NONE = Interval(float("nan"), float("nan"))
_COLUMNS = len(ANSWERS) + 1


@dataclass(frozen=True, slots=True)
class ThreeResult:
    """One method's answers; shares are 0 to 1, NaN where there is nothing to share.

    Attributes:
        counts: by gold answer a row, by the method's answer a column, the last for none.
        macro_f1: the mean of the three; NaN unless responses of all three are there.
        interval: of it, 95 %, by the bootstrap over queries, given the rule.
        note: a sentence where there are no figures, or where the rule goes beyond the paper; else empty.
    """

    method: str
    title: str
    counts: tuple[tuple[int, ...], ...] = ()
    precision: tuple[float, ...] = ()
    recall: tuple[float, ...] = ()
    f1: tuple[float, ...] = ()
    macro_f1: float = float("nan")
    accuracy: float = float("nan")
    interval: Interval = _NONE
    note: str = ""


@dataclass(frozen=True, slots=True)
class ThreeAnswers:
    """All methods on the responses whose answer is labelled.

    `unknown`: responses that are not grounded and of which no label says whether the context is silent or says otherwise.
    """

    gold: tuple[int, ...]
    unknown: int
    methods: tuple[ThreeResult, ...]

    @property
    def labelled(self) -> int:
        """Responses with one of three labels."""
        return sum(self.gold)


def gold_answer(case: Case) -> int:
    """Read the labelled answer of a case, a code of `ANSWERS`, from its labels; see `Case.stance`."""
    if case.grounded:
        return 0
    return {None: NO_ANSWER, False: 1, True: 2}[case.stance]


def method_answers(run: RunData, method: int, rule: Rule) -> Labels:
    """Read what a method answers: (n,) codes of `ANSWERS`.

    `NO_ANSWER` where there is no verdict, or one of not grounded without a contradiction.
    """
    place = run.methods[method]
    calls = verdicts(run, {place.id: rule})[method]
    table = run.read_sentences(method)
    threshold = sentence_threshold(rule, place.threshold)
    # Below a threshold first, then the least supported; those without a support last.
    flagged = table.support < (np.inf if threshold is None else threshold)
    worst: Floats = np.full(len(run.ids), np.nan)
    np.fmax.at(worst, table.case[flagged], table.contradiction[flagged])
    flagged_rows = np.zeros(len(run.ids), dtype=np.bool_)
    flagged_rows[table.case[flagged]] = True
    order = np.lexsort((table.support, table.case))
    cases, first = np.unique(table.case[order], return_index=True)
    lowest = np.full(len(run.ids), np.nan)
    lowest[cases] = table.contradiction[order][first]
    against = np.where(flagged_rows, worst, lowest)
    stated = np.where(np.isnan(against), NO_ANSWER, np.where(against >= 0.5, 2, 1))
    return np.select([calls == 1, calls == 0], [0, stated], NO_ANSWER).astype(np.int8)


def three_answers(run: RunData, rules: Mapping[str, Rule], rows: Integers) -> ThreeAnswers:
    """Measure every method on three answers. Reads the texts of the responses: slow on large sets."""
    gold = np.array([gold_answer(case) for case in run.read_cases([int(i) for i in rows])], dtype=np.int8)
    labelled = gold != NO_ANSWER
    places, labels = np.asarray(rows)[labelled], gold[labelled]
    counts = tuple(int((labels == code).sum()) for code in range(len(ANSWERS)))
    return ThreeAnswers(
        counts, int((~labelled).sum()), tuple(_result(run, m, rules, places, labels) for m in range(len(run.methods)))
    )


def _result(run: RunData, method: int, rules: Mapping[str, Rule], rows: Integers, labels: Labels) -> ThreeResult:
    place = run.methods[method]
    if place.id not in rules:
        return ThreeResult(place.id, place.title, note="It has no threshold.")
    if np.isnan(run.read_sentences(method).contradiction).all():
        note = "It gives two answers: none of its judgements says what the context contradicts."
        return ThreeResult(place.id, place.title, note=note)
    answers = method_answers(run, method, rules[place.id])[rows]
    cells = np.zeros((len(rows), len(ANSWERS) * _COLUMNS), dtype=np.int8)
    cells[np.arange(len(rows)), labels * _COLUMNS + np.where(answers == NO_ANSWER, _COLUMNS - 1, answers)] = 1
    groups = run.groups[rows]
    draws = drawn_queries(groups)
    drawn = _shares(resampled_sums(draws, by_group(cells, groups)).reshape(-1, len(ANSWERS), _COLUMNS))[2].mean(axis=-1)
    table = cells.sum(axis=0, dtype=np.int64).reshape(len(ANSWERS), _COLUMNS)
    precision, recall, f1 = (tuple(map(float, shares[0])) for shares in _shares(table[None]))
    return ThreeResult(
        place.id,
        place.title,
        tuple(tuple(map(int, row)) for row in table),
        precision,
        recall,
        f1,
        float(np.mean(f1)),
        float(np.trace(table) / len(rows)) if len(rows) else float("nan"),
        Interval.of(widened(limits(drawn, draws.shape[1]), draws.shape[1])),
        "Its rule goes beyond the paper." if goes_beyond(place, rules[place.id]) else "",
    )


def _shares(tables: Floats) -> tuple[Floats, Floats, Floats]:
    """Precision, recall and F1 of each answer, (r, 3) each, of (r, 3, 4) counts; NaN where no response has the answer."""
    hits, gold = np.einsum("rii->ri", tables[:, :, : len(ANSWERS)]), tables.sum(axis=2)
    called = tables[:, :, : len(ANSWERS)].sum(axis=1)

    def share(part: Floats, whole: Floats) -> Floats:
        values: Floats = np.divide(part, whole, out=np.zeros_like(whole, dtype=float), where=whole > 0)
        return np.where(gold > 0, values, np.nan)

    return share(hits, called), share(hits, gold), share(2 * hits, gold + called)


def answers_frame(answers: ThreeAnswers) -> "pd.DataFrame":
    """Lay the figures out as data: three rows a method, one an answer, the method with the highest macro-F1 first."""
    import pandas as pd

    rows: list[dict[str, object]] = []
    for r in sorted(answers.methods, key=lambda r: -np.nan_to_num(r.macro_f1, nan=-1.0)):
        head = {"Method": r.title, "Macro-F1": r.macro_f1, "From": r.interval.low, "To": r.interval.high}
        for code, counts in enumerate(r.counts):
            called = {f"Called {name.lower()}": n for name, n in zip(ANSWERS, counts, strict=False)}
            figures = {"Precision": r.precision[code], "Recall": r.recall[code], "F1": r.f1[code]}
            labels = {"Labelled": ANSWERS[code], "Responses": sum(counts)}
            rows.append({**head, **labels, **called, "No answer": counts[-1], **figures, "Note": r.note})
        if not r.counts:
            rows.append({**head, "Note": r.note})
    return pd.DataFrame(rows, columns=list(_COLUMN_NAMES))


_COLUMN_NAMES = (
    "Method", "Macro-F1", "From", "To", "Labelled", "Responses", *(f"Called {name.lower()}" for name in ANSWERS), "No answer",
    "Precision", "Recall", "F1", "Note",
)  # fmt: skip
SHARES = (*_COLUMN_NAMES[1:4], *_COLUMN_NAMES[10:13])


def printed_answers(answers: ThreeAnswers) -> list[list[str]]:
    """Write the figures for people; `answers_notes` says why a method has none."""
    table = answers_frame(replace(answers, methods=tuple(m for m in answers.methods if m.counts))).drop(columns="Note")
    rows = [[_printed(name, value) for name, value in row.items()] for row in table.to_dict("records")]
    return [[str(name) for name in table.columns], *rows]


def _printed(name: object, value: object) -> str:
    if not isinstance(value, float):
        return MISSING if value is None else str(value)
    return MISSING if np.isnan(value) else f"{value:,.0f}" if name in _COLUMN_NAMES[5:10] else share(value)


def answers_notes(answers: ThreeAnswers) -> list[str]:
    """Say what the table is of."""
    gold = ", ".join(f"{n:,} {name.lower()}" for n, name in zip(answers.gold, ANSWERS, strict=True))
    notes = [f"{answers.labelled:,} responses with one of three labels: {gold}. {PROTOCOLS['three']}"]
    if answers.unknown:
        which = plural(answers.unknown, "response")
        notes.append(f"{which} not counted: not grounded, and no label says whether the context is silent or says otherwise.")
    if 0 in answers.gold:
        notes.append("Without responses of all three there is no macro-F1.")
    return [*notes, *(f"{r.title}: {r.note}" for r in answers.methods if r.note)]


def as_levels(answers: ThreeAnswers) -> tuple[LevelResult, ...]:
    """Lay the results out as those of a level, for plots; what only two answers have is NaN."""
    nan, wrong, levels = float("nan"), sum(answers.gold[1:]), list[LevelResult]()
    for r in answers.methods:
        precision, recall = (float(np.mean(values)) if values else nan for values in (r.precision, r.recall))
        of = (sum(sum(row[:-1]) for row in r.counts), answers.labelled, wrong, nan, r.note)
        levels.append(LevelResult(precision, recall, r.macro_f1, r.interval, r.interval, nan, chance.UNKNOWN, *of))
    return tuple(levels)
