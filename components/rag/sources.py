"""Choice of the results to show: an experiment of this machine, a loaded file, or the results that come with the app."""

from contextlib import closing
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from components import shell
from components.controls import SourceChoice, choose_source, left_out, read_uploads, removable
from components.rag import state
from components.state import once, own
from groundscope.errors import DataError
from groundscope.experiments import listing
from groundscope.files.rows import ENDINGS, KINDS
from groundscope.files.sandbox import FILES, sandboxed
from groundscope.rag import experiments
from groundscope.rag.corpora.sample_corpus import LICENCE
from groundscope.rag.outcomes import Answer
from groundscope.rag.records import NAME, RagResults, joined, read_results, shipped
from groundscope.text.humanize import plural

_FILE = "file "
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


def choose() -> AnswerSource | None:
    """Let the user choose; None where what was chosen cannot be read."""
    return choose_source(choices(), "Results", state.LINK, "rag")


def choices() -> list[SourceChoice[AnswerSource]]:
    """The newest first, those that come with the app last."""
    found_here, problems = listing.listed(experiments.KIND)
    for problem in problems:
        shell.notice("bad", problem)
    listed = [SourceChoice(f"{_FILE}{name}", name, partial(_of_file, r, name)) for name, r in state.files().items()]
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
    return AnswerSource(f"{_FILE}{name}", name, results.answers, _judges(results.answers), notes)


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

    return once(state.REPORTS, key, read)


def load() -> None:
    """The place to load results that were made elsewhere."""
    st.html(
        f"<p class='gs-measure'>One row an answer, as {KINDS}: "
        "<code>embedding_model</code>, <code>generative_model</code>, <code>question_id</code>, <code>correct</code> and "
        "<code>grounded</code>. "
        "<code>relevant_passage_in_context</code> separates retrieval errors from reasoning errors. The texts are optional: "
        "<code>question</code>, <code>answer</code> (the reference), <code>rag_answer</code>, <code>context</code>, "
        "<code>relevant_passage_id</code>. With ids of relevant and of retrieved passages (<code>context</code>, or all of them "
        "in <code>retrieved_ids</code>) retrieval is measured too. What the code of Legal RAG Bench writes is read as it is. "
        "Files loaded together become one set of results, unless two of them have the same combination answer the same question. "
        "Nothing is run and nothing is sent; the last "
        f"{state.FILES_KEPT} files are kept until you leave.</p>"
    )
    files = st.file_uploader("Files of results", type=list(ENDINGS), accept_multiple_files=True, key="rag_upload")
    seen = own("rag_seen", dict[str, str]())
    fresh = [file.file_id for file in files if file.file_id not in seen]
    loaded: list[RagResults] = []
    if read_uploads(files, "rag_seen", partial(_read, loaded)):
        for results in _whole(loaded):
            _keep(results)
        # The tabs above were drawn before the file was there. What is wrong with another one must stay to be read.
        if any(seen[file] for file in fresh):
            state.stay()
        st.rerun()
    sizes = {name: plural(len(results.answers), "answer") for name, results in state.files().items()}
    removable("Forget", sizes, "rag_forget", _forget)


def _read(loaded: list[RagResults], file: UploadedFile) -> str:
    loaded.append(sandboxed(FILES, read_results, file.name, file.getvalue()))
    return ""


def _whole(loaded: list[RagResults]) -> list[RagResults]:
    """One of files that came together, where they are parts of one."""
    try:
        return [joined(loaded)]
    except DataError:
        return loaded


def _keep(results: RagResults) -> None:
    name = state.unused(results.name, state.files())
    state.files()[name] = results
    st.session_state.pop(state.REPORTS, None)
    state.show_results(f"{_FILE}{name}")


def _forget(name: str) -> None:
    state.files().pop(name, None)
    # Another file may come under this name.
    st.session_state.pop(state.REPORTS, None)
