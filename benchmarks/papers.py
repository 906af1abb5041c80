"""The papers' tables beside what is printed here from the verdicts behind them: `python -m benchmarks.papers [--write]`.

Where the printed digits of a row leave only few counts of right verdicts, these go through the code that prints a user's own
tables. The page that `--write` writes, benchmarks/README.md, names the tests that hold the same.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from benchmarks.board import ROOT
from groundscope.cases.splitting import split_counts, with_splits
from groundscope.grounding.misclassified.table import PARTS, error_table
from groundscope.grounding.paper_tables import TABLE_3, Printed
from groundscope.grounding.result_columns import share
from groundscope.rag.effects.printed import comparison_words, effect_lines, estimate_words
from groundscope.rag.outcomes import rows
from groundscope.rag.report import OUTCOMES, report
from groundscope.statistics.metrics import Confusion, scores
from groundscope.training.pair_figures import AT_HALF, PAPERS_TABLE_2, at_half
from tests.groundscope.arguments.test_scoring import said as said_in_one_case
from tests.groundscope.cases.test_splitting import made
from tests.groundscope.grounding import paper_counts as counts
from tests.groundscope.grounding.test_misclassified import PRINTED, calls_of, paper_dev
from tests.groundscope.rag.samples import PRINTED as SHARES
from tests.groundscope.rag.samples import TABLE_4, discordant, published

PAGE = ROOT / "benchmarks" / "README.md"
_BLOCK = re.compile(r"(?<=<!-- papers -->\n).*?(?=<!-- /papers -->)", re.DOTALL)
_DEV = {name: counts.table_of(right[0], counts.DEV_CLASS) for name, right in counts.DEV_RIGHT.items()}
_TEST = {name: counts.table_of(right[0], counts.TEST_CLASS) for name, right in counts.TEST_RIGHT.items()}
_DEV |= {**counts.OTHER_SIZES_DEV, "LYNX v1.1": counts.LYNX_DEV}
_TEST |= {**counts.OTHER_SIZES_TEST, "LYNX v1.1": counts.LYNX_TEST}


def table_3() -> Iterator[Sequence[str]]:
    """Precision, recall, F1 and accuracy of the 14 rows, dev and test."""
    for row in TABLE_3:
        yield row.name, _four(row.dev), _ours(_DEV[row.name]), _four(row.test), _ours(_TEST[row.name])


def _four(figures: Iterable[float]) -> str:
    return " ".join(map(share, figures))


def _ours(table: Confusion) -> str:
    found = scores(table)
    return _four(Printed(found.precision, found.recall, found.macro_f1, found.accuracy))


def other_tables() -> Iterator[Sequence[str]]:
    """Tables 1, 2 and 4 of the first paper, and those of Legal RAG Bench."""
    paper = "Trautmann et al., table"
    queries = {s.split: s.queries for s in split_counts(with_splits(made(573, 1)))}
    yield f"{paper} 1: queries of train, dev, test", "400, 58, 115", ", ".join(str(queries[s]) for s in ("train", "dev", "test"))
    truth = np.repeat([True, False], [33, 42])
    for model, right in (("deberta-v3-base", 8), ("deberta-v3-large", 26)):
        said = np.concatenate([np.arange(33) < right, np.arange(42) >= 29])
        found = at_half(np.where(said, 0.5, 0.49), truth)
        yield (
            f"{paper} 2: {model}",
            _four(PAPERS_TABLE_2[model][n] for n in AT_HALF),
            " ".join(f"{found[n]:.4f}" for n in AT_HALF),
        )
    errors = error_table(calls_of(paper_dev()))
    for kind, (missed, there) in counts.TABLE_4.items():
        at = PARTS.index(kind.value)
        ours = f"{errors.wrong[at, 0]} of {errors.responses[at]}, {100 * errors.rate[at, 0]:.1f} %"
        yield f"{paper} 4: {kind.value.replace('_', ' ')}", f"{missed} of {there}, {PRINTED[kind]} %", ours
    bench = "Legal RAG Bench"
    for row in rows(list(published())):
        ours = " / ".join(f"{100 * s.value:.0f}" for s in (row.correct, row.grounded, row.hit))
        name = f"{bench}, correct / grounded / retrieved: {row.embedder}, {row.model}"
        yield name, " / ".join(map(str, SHARES[row.embedder, row.model])), ours
    place = list(OUTCOMES).index("grounded")
    effects = effect_lines(report(list(discordant())))
    between = next(lines for title, lines in effects.items() if title.startswith("How much more"))
    named = [(line[place].within, line) for line in effects["Models within one embedder"]]
    for name, line in [*named, *((comparison_words(line[place]), line) for line in between)]:
        yield f"{bench}, table 4, grounded: {name}", TABLE_4[name], estimate_words(line[place].found)
    example = said_in_one_case(["F4", "F6", "F10"], [], [])
    used = sum(map(len, example.used))
    yield "3-ply arguments, example F1 F4 F6 against F4 F6 F10: invented, used", "1, 2", f"{example.hallucinated}, {used}"


def page() -> str:
    """Both tables for the page, and whether every figure is as printed."""
    first, second = list(table_3()), list(other_tables())
    same = [printed == ours for row in first for printed, ours in (row[1:3], row[3:5])] + [row[1] == row[2] for row in second]
    lines = [*_table(("table 3, P R F1 Acc.", "dev: printed", "dev: ours", "test: printed", "test: ours"), first), ""]
    lines += [*_table(("other tables", "printed", "ours"), second), "", f"{sum(same)} of {len(same)} are as printed."]
    return "\n".join(lines) + "\n"


def _table(heads: Sequence[str], body: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *body)]


if __name__ == "__main__":
    shown = page()
    print(shown)
    if "--write" in sys.argv:
        PAGE.write_text(_BLOCK.sub(lambda _: shown, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
