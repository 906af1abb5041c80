"""`study`: run, tune, freeze and read a file of methods as one table."""

from contextlib import closing
from pathlib import Path

import click

from groundscope.chat.budget import Limits
from groundscope.commands import jobs, options, run
from groundscope.commands.case_files import content, read_cases, write
from groundscope.commands.reading import show_tuned
from groundscope.commands.terminal import DONE, NOTHING, REFUSED, say, show
from groundscope.drawing.study_files import FIGURE, TABLE, study_figure, study_files
from groundscope.errors import DataError
from groundscope.grounding import study as studies
from groundscope.grounding.rules import frozen_rules
from groundscope.grounding.runs import listing, planning
from groundscope.grounding.runs.store import FOLDER
from groundscope.storage.sqlite import now
from groundscope.text.humanize import plural


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

    Its rows are judged, tuned on dev, frozen and read on test; the table and the figure beside it have the
    form of the paper's table 3 and figure 2.

    FILE is TOML: cases, splits and limits, and a [[row]] for each method with its model, prompt, parameters or a sweep. The same
    command continues where it was stopped. With another row or other cases it judges these alone.
    """
    if preset:
        show(studies.preset().rstrip())
        return DONE
    if file is None:
        raise ValueError("name the file of a study; `study --preset paper > table3.toml` writes one to start from")
    text = content(file, "the file of a study").decode("utf-8", "replace")
    plan = studies.read_study(text)
    read, source = read_cases([file.parent / name for name in plan.cases] or None)
    cases, parts = plan.cases_of(read), plan.parts()
    methods = [part for part, _ in parts]
    there = studies.earlier(methods, cases)
    name, limits = there.run, Limits(calls or plan.calls, dollars or plan.dollars)
    if not name:
        takes = there.takes(cases, parts)
        before = plural(sum(map(len, there.results.values())), "judgement")
        say(f"{len(cases):,} responses of {source}; {plural(len(takes), 'part')} to judge, {before} from before.")
        if not jobs.offered(takes, yes=yes):
            return REFUSED
        name = planning.begin(plan.name, source, cases, methods, limits=limits, again=there.results)
    folder = out or file.with_suffix("")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder} cannot be the folder of the table ({error.strerror}); name another one by --out.") from None
    with closing(FOLDER.open(name)) as job:
        if limits != job.limits() and not job.finished():
            job.allow(limits)
        studies.keep_text(job, text)
        ended = DONE if job.finished() else jobs.go(run.RUNNER, job, None, quiet=quiet, with_parent=with_parent)
    if ended not in (DONE, NOTHING):
        say("The same command continues.")
        return ended
    whole = listing.find(name)
    decision, failed = plan.decide(whole, now())
    show_tuned(whole, decision, failed)
    files = study_files(plan, whole, decision) | study_figure(plan, whole, decision)
    for title, written in files.items():
        write(folder / title, written.encode())
    figure = "figure 2 with it" if FIGURE in files else "without figure 2, which pip install 'groundscope[app]' draws"
    frozen = frozen_rules.freeze_dated(decision)
    say(f"Written to {folder}, {figure}. The run is {name}, its thresholds are frozen as {frozen.name}.")
    show(files[TABLE.format("md")])
    return DONE
