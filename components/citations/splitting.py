"""Texts that a chat model splits into claims, in a job."""

from collections.abc import Mapping, Sequence

import streamlit as st

from components import state
from components.citations import messages
from components.experiments.panel import TaskPanel, offer
from groundscope.citations.decomposing import DECOMPOSING, Decomposed, decomposed, decomposer
from groundscope.experiments.forecast import CostEstimate
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.text.humanize import plural


def _replies() -> dict[tuple[str, str, bool], Decomposed]:
    """What chat models made of texts, by text, model and whether subsections count by themselves."""
    return state.own("cites_decomposed", {})


def _use_claims(file: JobFile) -> None:
    (part,), subsections = plan_of(file).parts, plan_of(file).options["subsections"]
    for text, content in DECOMPOSING.by_item(file).items():
        document = sandboxed(CITING, decomposed, text, content, subsections=subsections)
        _replies()[text, part.id, subsections] = document


SPLITTINGS = TaskPanel(DECOMPOSING.kind, "Its claims and its copy of the texts", take=_use_claims, taking="Use the claims")


def documents_by_model(texts: Sequence[str], line: str, *, subsections: bool) -> Mapping[str, Decomposed]:
    """What a model makes of each text; empty, with an offer on the page, while some are missing."""
    replies = _replies()
    if missing := [t for t in texts if (t, line, subsections) not in replies]:
        takes = decomposer(line).takes(missing)
        if takes.calls:
            _split(missing, line, takes, subsections=subsections)
            return {}
        # None of them cites anything.
        replies.update({(t, line, subsections): decomposed(t, {"claims": []}) for t in missing})
    return {t: replies[t, line, subsections] for t in texts}


def _split(texts: Sequence[str], line: str, takes: CostEstimate, *, subsections: bool) -> None:
    if SPLITTINGS.works_here(line):
        return
    st.html(messages.offer(plural(len(texts), "text"), "split into claims", takes.leaves))
    if (limits := offer([takes], "cites_texts")) is not None:
        title, chosen = f"Claims of {plural(len(texts), 'text')}", {"subsections": subsections}
        SPLITTINGS.start(DECOMPOSING.create(title, {line: takes.title}, texts, chosen, limits, keeps=False))
