"""`study`: run, tune, freeze and read a file of methods as one table."""

import json
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from pathlib import Path

import click

from groundscope.cases.splitting import sampled
from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options, run
from groundscope.commands.case_files import CaseFiles, content, write
from groundscope.commands.reading import tuned_rules
from groundscope.commands.terminal import DONE, NOTHING, REFUSED, say, show
from groundscope.errors import DataError, StoreError
from groundscope.experiments.plan import FAILED, Stored
from groundscope.experiments.store import JobFile, now
from groundscope.grounding import study as studies
from groundscope.grounding import tables
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.run_with_rules import RunWithRules
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.arrays import MethodRun, RunData
from groundscope.grounding.runs.store import FOLDER, judgements, plan_of
from groundscope.grounding.study import Study, read_study
from groundscope.grounding.sweeps import without
from groundscope.grounding.tuning import WAYS, Objective
from groundscope.methods import registry
from groundscope.text.humanize import plural
from groundscope.types import Case

_STATE, _DECISION, _TABLE = "study.json", "decision.json", "table"
_FORMS = {"md": tables.markdown_table, "html": tables.html_table, "tex": tables.latex_table}


@click.command()
@click.argument("file", metavar="FILE", type=options.PATH, required=False, help="the study, as TOML")
@click.option("--out", metavar="DIR", type=options.PATH, help="where the table goes", show_default="beside FILE, by its name")
@click.option("--preset", type=click.Choice(["paper"]), help="write the study of the paper's table 3 to standard output instead")
@options.YES
@options.LIMITS
def study(
    file: Path | None, out: Path | None, preset: str | None, yes: bool, calls: int | None, dollars: float | None, quiet: bool,
    with_parent: bool,
) -> int:  # fmt: skip
    """Run, tune and read a file of methods as one table.

    Its rows are judged, tuned on dev, frozen and read on test; the table has the form of the paper's.

    FILE is TOML: cases, splits and limits, and a [[row]] for each method with its model, prompt, parameters or a sweep. The same
    command continues where it was stopped. With another row it judges that row alone: all else comes from what is kept.
    """
    if preset:
        show(studies.preset().rstrip())
        return DONE
    if file is None:
        raise ValueError("name the file of a study; `study --preset paper > table3.toml` writes one to start from")
    plan = read_study(content(file, "the file of a study").decode("utf-8", "replace"))
    folder = out or file.with_suffix("")
    cases, source = _cases(plan, file.parent)
    parts = [(part, registry.load(part.method, **part.options)) for row in plan.rows for part in row.parts()]
    methods = [planning.method_run(part, method) for part, method in parts]
    state = folder / _STATE
    before = _earlier(state)
    job = before if before and _is_of(before, methods, cases) else None
    if job is None:
        earlier = _kept(before, methods, cases) if before else {}
        new = [pair for place, pair in enumerate(parts) if place not in earlier]
        say(f"{len(cases):,} responses of {source}; {plural(len(new), 'part')} to judge, {len(earlier)} from before.")
        if not jobs.offered(list(planning.forecast(cases, new, planning.known_seconds()).values()), yes=yes):
            return REFUSED
        limits = Limits(calls or plan.calls, dollars or plan.dollars)
        folder.mkdir(parents=True, exist_ok=True)
        job = FOLDER.open(planning.begin(plan.name, source, cases, methods, limits=limits, again=earlier))
        write(state, json.dumps({"run": job.id}).encode())
    with closing(job):
        ended = DONE if job.finished() else jobs.go(run.RUNNER, job, None, quiet=quiet, with_parent=with_parent)
        if ended not in (DONE, NOTHING):
            say("The same command continues.")
            return ended
        name = job.id
    show(_read(plan, listing.find(name), folder))
    return DONE


def _cases(plan: Study, beside: Path) -> tuple[Sequence[Case], str]:
    """The cases of the study's splits: cut by query where it says so, and of each at most as many queries as its limit."""
    files = [beside / name for name in plan.cases] or None
    read, source = CaseFiles(files, None, None, None, plan.splits or None, plan.seed).read()
    by_split = {split: [c for c in read if c.split == split] for split in ("train", plan.tune, plan.test)}
    if lacking := [split for split in (plan.tune, plan.test) if not by_split[split]]:
        raise DataError(
            f"No case is in {' or '.join(lacking)}; write splits = {{ train = 0.7, dev = 0.1, test = 0.2 }} to cut them."
        )
    limited = [c for some in by_split.values() for c in (sampled(some, plan.limit, plan.seed) if plan.limit else some)]
    return limited, source


def _earlier(state: Path) -> JobFile | None:
    """The run that the study had the last time, where it is still here."""
    with suppress(OSError, ValueError, KeyError, TypeError, StoreError):
        return FOLDER.open(str(json.loads(state.read_text(encoding="utf-8"))["run"]))
    return None


def _is_of(job: JobFile, methods: Sequence[MethodRun], cases: Sequence[Case]) -> bool:
    plan = plan_of(job)
    return plan.data_hash == planning.hash_of(cases) and [_key(m) for m in plan.methods] == [_key(m) for m in methods]


def _kept(job: JobFile, methods: Sequence[MethodRun], cases: Sequence[Case]) -> dict[int, Iterable[Stored]]:
    """The results of an earlier run, by the place that their method has now; faults are made again."""
    plan = plan_of(job)
    if plan.data_hash != planning.hash_of(cases):
        return {}
    places = {m.signature: place for place, m in enumerate(plan.methods)}
    there = {place: places[m.signature] for place, m in enumerate(methods) if m.signature in places}
    return {place: [s for s in judgements(job, old) if s.status != FAILED] for place, old in there.items()}


def _key(method: MethodRun) -> tuple[str, str]:
    return method.id, method.signature


def _read(plan: Study, whole: RunData, folder: Path) -> str:
    """Tune, freeze and read; writes the table in every form, and gives it as Markdown."""
    objective = Objective(plan.missed or None)
    split = None if plan.tune == "dev" else plan.tune
    tuned, left_out = tuned_rules(whole, objective, WAYS, split, plan.beyond_paper)
    signatures = {m.id: m.signature for m in whole.methods}
    decision = Decision(
        plan.name, now(), whole.name, whole.data_hash, objective, tuned, signatures, left_out, WAYS, beyond=plan.beyond_paper
    )
    write(folder / _DECISION, frozen_rules.to_json(decision).encode())
    left = without(whole, left_out)
    ruled = RunWithRules(left, decision.rules(left), decision, whole)
    dev, test = ruled.results(plan.tune), ruled.results(plan.test)
    cells, marks = studies.table(plan, dev, test)
    about = (studies.about(plan, dev, test), *test.notes)
    for ending, form in _FORMS.items():
        write(folder / f"{_TABLE}.{ending}", form(cells, about, marks).encode())
    say(f"Written to {folder}. Figure 2, F1 against latency: open the run {whole.name} on the Compare page.")
    return tables.markdown_table(cells, about, marks)
