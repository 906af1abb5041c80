"""Results of RAG experiments that a session can open: of this machine, of a loaded file, or those that come with the app."""

from contextlib import closing
from dataclasses import dataclass
from functools import partial

from components import shell
from components.controls import SourceChoice, left_out
from components.state import last_few, once, own
from groundscope.experiments import listing
from groundscope.rag import experiments
from groundscope.rag.corpora.sample_corpus import LICENCE
from groundscope.rag.outcomes import Answer
from groundscope.rag.records import NAME, RagResults, shipped
from groundscope.text.humanize import plural

FILES_KEPT = 8
REPORTS = "rag_reports"
"""Key of analyses, by what they are of."""
OF_FILE = "file "
_ABOUT_SHIPPED = (
    "A finished run that comes with the app: passages were searched for each sample question, and sentences copied from them as "
    "the answer, so no chat model was asked."
)


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Results to look at: of an experiment of this machine, which is then the job, or of a file.

    Notes are what the user must know, in sentences; the stamp is another one where the answers may be others.
    """

    id: str
    name: str
    answers: tuple[Answer, ...]
    judge: str = ""
    notes: tuple[str, ...] = ()
    licence: str = ""
    job: listing.Listed | None = None
    stamp: str = ""


def files() -> dict[str, RagResults]:
    """Results that this session loaded, by name; the last few."""
    return last_few(own("rag_files", {}), FILES_KEPT)


def choices() -> list[SourceChoice[AnswerSource]]:
    """The newest first, those that come with the app last."""
    found_here, problems = listing.listed(experiments.KIND)
    for problem in problems:
        shell.notice("bad", problem)
    listed = [SourceChoice(f"{OF_FILE}{name}", name, partial(_of_file, r, name)) for name, r in files().items()]
    listed.reverse()
    for job in found_here:
        if job.done > job.failed:
            label = f"{job.name} · {job.created[:16].replace('T', ' ')} UTC"
            label += "" if job.finished else f" · {job.done:,} of {plural(job.wanted, 'answer')}"
            listed.append(SourceChoice(job.id, label, partial(_of_experiment, job)))
    come = shipped()
    shipped_source = AnswerSource(NAME, come.name, come.answers, _judges(come.answers), (_ABOUT_SHIPPED,), LICENCE)
    return [*listed, SourceChoice(NAME, shipped_source.name, lambda: shipped_source)]


def _judges(answers: tuple[Answer, ...]) -> str:
    return "; ".join(dict.fromkeys(a.judge for a in answers if a.judge))


def _of_file(results: RagResults, name: str) -> AnswerSource:
    notes = (*filter(None, [results.unequal]), *results.notes, *left_out(results.rejected))
    return AnswerSource(f"{OF_FILE}{name}", name, results.answers, _judges(results.answers), notes)


def _of_experiment(job: listing.Listed) -> AnswerSource:
    key = ("source", job.id, job.done, job.failed)

    def read() -> AnswerSource:
        plan, of = job.plan, f"of {plural(job.wanted, 'answer')}"
        failed = f"{job.failed:,} {of} failed and {'has' if job.failed == 1 else 'have'} no verdict."
        left = f"{job.wanted - job.done:,} {of} still to come."
        notes = (*plan.notes, *([failed] if job.failed else []), *([] if job.finished else [left]))
        with closing(experiments.FOLDER.open(job.id)) as file:
            answers = tuple(experiments.answers(file))
        return AnswerSource(job.id, plan.name, answers, plan.judge.title, notes, plan.licence, job, str(key))

    return once(REPORTS, key, read)
