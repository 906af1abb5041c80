"""Folders of shards for tests, written by the code that `run --on ray` runs in its processes."""

from collections.abc import Sequence
from pathlib import Path

from groundscope.cases.dataset import to_jsonl
from groundscope.grounding.parts import NamedPart
from groundscope.grounding.runs.planning import method_run
from groundscope.grounding.sharded.chunks import chunks_of
from groundscope.grounding.sharded.columns import finish
from groundscope.grounding.sharded.judging import ChunkJudge, as_items
from groundscope.grounding.sharded.shards import ShardedPart, prepare
from groundscope.methods import registry
from groundscope.types import Case


def made_shards(out: Path, cases: Sequence[Case], methods: Sequence[str], rows: int = 10, *, ended: bool = True) -> Path:
    """Judge cases as a process of a cluster does, chunk by chunk."""
    file = out.with_name(f"{out.name}.jsonl")
    file.write_text(to_jsonl(cases), encoding="utf-8")
    loaded = {name: registry.load(name) for name in methods}
    parts = [ShardedPart(n, n, {}, m.signature, m.about.threshold) for n, m in loaded.items()]
    about = [method_run(NamedPart(n, n, {}), m) for n, m in loaded.items()]
    chunks = chunks_of([str(file)], rows)
    prepare(out, parts, about, {"files": [chunks[0].path], "machine": ["a machine"]})
    items = list(as_items(chunks))
    for part in parts:
        found = ChunkJudge(part, str(out), None)({name: [item[name] for item in items] for name in items[0]})
        assert not any(found["error"])
    if ended:
        finish(out)
    return out
