"""Runs on Ray as jobs: their plan, and how they are made and listed. A place is a part and a chunk."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from groundscope.chat.budget import Limits
from groundscope.errors import DataError, StoreError
from groundscope.experiments import listing
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Part
from groundscope.experiments.store import JobFile
from groundscope.grounding.sharded.chunks import CaseChunk


@dataclass(frozen=True, slots=True)
class RayPlan:
    """Which parts judge the chunks of a job into the folder `out`: by `workers` a part, on the cluster of an address or here."""

    name: str
    parts: tuple[Part, ...]
    out: str
    mapping: str | None = None
    address: str = ""
    workers: int | None = None


FOLDER = JobDirectory("on_ray", "run on Ray")
JUDGED, CHUNKS = "judged", "chunks"


def plan_of(file: JobFile) -> RayPlan:
    """Read the plan of a job."""
    return file.plan(RayPlan)


KIND = listing.Kind(
    FOLDER, "chunk", plan_of, lambda _: JUDGED,
    lambda file, plan: {p: (part.title, file.size(CHUNKS)) for p, part in enumerate(plan.parts)},
    lambda file, plan: f"{', '.join(part.title for part in plan.parts)}, on Ray, into {plan.out}",
)  # fmt: skip


def begin(plan: RayPlan, chunks: Sequence[CaseChunk], limits: Limits) -> tuple[JobFile, bool]:
    """Find the unfinished job that judges the same, or make one; gives it, and whether it is new."""
    rows = [asdict(chunk) for chunk in chunks]
    for file in FOLDER.files():
        try:
            there, finished = plan_of(file), file.finished()
        except StoreError:
            # `jobs` names a damaged file.
            continue
        if there.out != plan.out or finished:
            continue
        if replace(there, address=plan.address, workers=plan.workers) != plan or file.inputs(CHUNKS) != rows:
            raise DataError(f"{file.id} judges something else into {plan.out}; resume it or delete it first.")
        with file.working():
            file.set_about("plan", asdict(plan))
            file.allow(limits.over(file.limits()))
        return file, False
    return FOLDER.open(FOLDER.create(asdict(plan), {CHUNKS: rows}, limits=limits)), True
