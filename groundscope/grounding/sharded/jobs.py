"""Runs on Ray as jobs: their plan, and how they are made and listed. A place is a part and a chunk."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace

from groundscope.chat.budget import Limits
from groundscope.experiments import listing
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Part
from groundscope.experiments.store import JobFile
from groundscope.grounding.sharded.chunks import CaseChunk


@dataclass(frozen=True, slots=True)
class RayPlan:
    """Which parts judge the chunks of a job into the folder `out`.

    `address` is that of a cluster, empty = Ray on this machine; `workers` are its processes a method, None = one a processor.
    """

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
    FOLDER,
    "chunk",
    plan_of,
    lambda _: JUDGED,
    lambda file, plan: {p: (part.title, file.size(CHUNKS)) for p, part in enumerate(plan.parts)},
    lambda file, plan: f"{', '.join(part.title for part in plan.parts)}, on Ray, into {plan.out}",
)


def begin(plan: RayPlan, chunks: Sequence[CaseChunk], limits: Limits) -> tuple[JobFile, bool]:
    """Find the unfinished job that judges the same, or make one; gives it, and whether it is new."""
    rows = [asdict(chunk) for chunk in chunks]
    for file in FOLDER.files():
        same = replace(plan_of(file), address=plan.address, workers=plan.workers) == plan
        if same and not file.finished() and file.inputs(CHUNKS) == rows:
            file.set_about("plan", asdict(plan))
            file.allow(limits.over(file.limits()))
            return file, False
        file.close()
    return FOLDER.open(FOLDER.create(asdict(plan), {CHUNKS: rows}, limits=limits)), True
