"""Folders of shards for tests, written by the code that `run --on ray` runs in its processes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundscope.cases.dataset import to_jsonl
from groundscope.grounding.parts import NamedPart
from groundscope.grounding.runs.planning import method_run
from groundscope.grounding.sharded.chunks import CaseChunk, chunks_of
from groundscope.grounding.sharded.columns import finish
from groundscope.grounding.sharded.judging import ChunkJudge, as_items
from groundscope.grounding.sharded.ledger import Ask
from groundscope.grounding.sharded.shards import ShardedPart, prepare
from groundscope.methods import registry
from groundscope.types import Case


def judge_chunks(out: Path, part: ShardedPart, chunks: Sequence[CaseChunk], ask: Ask | None = None) -> dict[str, list[Any]]:
    """What a process of a cluster says of chunks that it judges."""
    items = list(as_items(chunks))
    batch = {name: [item[name] for item in items] for name in items[0]}
    return {name: column.tolist() for name, column in ChunkJudge(part, str(out), None, ask)(batch).items()}


def made_shards(out: Path, cases: Sequence[Case], methods: Sequence[str], rows: int = 10, *, ended: bool = True) -> Path:
    """Judge cases as a process of a cluster does, chunk by chunk."""
    file = out.with_name(f"{out.name}.jsonl")
    file.write_text(to_jsonl(cases), encoding="utf-8")
    loaded = {name: registry.load(name) for name in methods}
    parts = [ShardedPart(n, n, {}, m.signature, m.about.threshold) for n, m in loaded.items()]
    about = [method_run(NamedPart(n, n, {}), m) for n, m in loaded.items()]
    chunks = chunks_of([str(file)], rows)
    prepare(out, parts, about, {"files": [chunks[0].path], "machine": ["a machine"]})
    for part in parts:
        assert not any(judge_chunks(out, part, chunks)["error"])
    if ended:
        finish(out)
    return out
