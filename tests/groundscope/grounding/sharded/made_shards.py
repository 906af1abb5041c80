"""Folders of shards for tests, written by the code that `run --on ray` runs in its processes."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from groundscope.cases.dataset import to_jsonl
from groundscope.errors import GroundscopeError
from groundscope.experiments.ledger import Ask
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import loaded
from groundscope.grounding.sharded.chunks import CaseChunk, chunks_of
from groundscope.grounding.sharded.columns import finish
from groundscope.grounding.sharded.shards import prepare
from groundscope.grounding.sharded.work import ChunkJudge
from groundscope.types import Case


def judge_chunks(
    out: Path, part: Part, chunks: Sequence[CaseChunk], ask: Ask | None = None, address: str = ""
) -> dict[str, list[Any]]:
    """What a process of a cluster gives of chunks that it judges, and why it refuses one."""
    process = ChunkJudge(part, address, str(out), None)
    rows: list[dict[str, Any]] = []
    for chunk in chunks:
        try:
            rows.append(process.judge(asdict(chunk), ask) | {"error": ""})
        except GroundscopeError as error:
            rows.append({"judged": 0, "known": 0, "rejected": 0, "error": str(error)})
    return {name: [row[name] for row in rows] for name in rows[0]}


def made_shards(out: Path, cases: Sequence[Case], methods: Sequence[str], rows: int = 10, *, ended: bool = True) -> Path:
    """Judge cases as a process of a cluster does, chunk by chunk."""
    file = out.with_name(f"{out.name}.jsonl")
    file.write_text(to_jsonl(cases), encoding="utf-8")
    parts = [loaded(Part(name)) for name in methods]
    chunks = chunks_of([str(file)], rows)
    prepare(out, [part for part, _ in parts], [chunks[0].path], ["a machine"])
    for part, method in parts:
        assert not any(judge_chunks(out, part, chunks, address=method.address)["error"])
    if ended:
        finish(out)
    return out
