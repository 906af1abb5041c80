"""What a shard says of cases and of judgements: the columns that figures need, and the texts, read for one case alone."""

from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path

import pyarrow as pa

from groundscope.cases.dataset import to_line, to_row
from groundscope.files.fields import cleaned
from groundscope.grounding.runs.arrays import case_columns, group_of
from groundscope.grounding.runs.plans import TIMED, spread
from groundscope.grounding.sharded.shards import CASES, CASES_FOLDER, CASES_IN_A_GROUP, key_of, write_table
from groundscope.types import Case, Judgement


def write_cases(out: Path, chunk: str, file: str, cases: Sequence[tuple[int, Case]]) -> None:
    """Write the cases of a chunk, unless another method has done so."""
    path = out / CASES_FOLDER / f"{chunk}.parquet"
    if not path.exists():
        write_table(path, case_table(file, cases), CASES_IN_A_GROUP)


def case_table(file: str, cases: Sequence[tuple[int, Case]]) -> pa.Table:
    """Write cases as a table."""
    given = [case for _, case in cases]
    rows = [cleaned(to_row(case)) for case in given]
    columns = case_columns(given)
    return pa.table(
        {
            "key": [key_of(case) for case in given],
            "file": [file] * len(given),
            "row": [number for number, _ in cases],
            "id": [row["id"] for row in rows],
            "group": [blake2b(group_of(case).encode("utf-8", "replace"), digest_size=16).digest() for case in given],
            "split": cleaned(columns.splits.tolist()),
            "area": cleaned(columns.areas.tolist()),
            "gold": columns.gold.tolist(),
            "types": columns.types.tolist(),
            "words": columns.words.tolist(),
            "context_words": columns.context_words.tolist(),
            "case": [to_line(row) for row in rows],
        },
        schema=CASES,
    )


def measures(found: Judgement) -> dict[str, object]:
    """Write the numbers of a judgement that figures need besides its support."""
    lowest, mean = spread(s.support for s in found.sentences)
    return {
        "lowest": lowest,
        "mean": mean,
        "seconds": found.seconds,
        "timed": found.status in TIMED and not found.cached,
        "context_seen": found.context_seen,
        "cost": found.cost,
        "calls": found.calls,
        "tokens": found.tokens,
    }
