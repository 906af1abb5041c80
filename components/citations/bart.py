"""BARTScore on the page: computed on request, in another process, with progress and a pause button."""

from collections.abc import Sequence

import streamlit as st

from components import shell
from components import state as session
from components.chat import methods
from components.citations import state, under_way
from components.citations.under_way import Portion
from components.worker import scoring
from components.worker.job import Job
from groundscope.citations.bart_score import METHOD, BartScores, bart_scores, cut_words, directions
from groundscope.drawing.html import with_code

_AT_A_TIME = 8
"""Texts that a job scores; those of one length stand together."""


def scores(pairs: Sequence[tuple[str, str]]) -> list[BartScores]:
    """BARTScore of generated texts against references, if the user wants it; empty, with why on the page, where there is none."""
    method = scoring.loaded(METHOD)
    if why := method.unavailable():
        st.html(f"<p class='gs-note gs-measure'>BARTScore is left out. {with_code(why)}</p>")
        return []
    hint = "Reads each text and its reference with a model of 406 million weights, both ways: seconds a text on a processor."
    if not st.checkbox("Also by BARTScore", key="cites_bart", persist_state="session", help=hint):
        return []
    known = state.likelihoods()
    # With other weights or in another number format the figures are others.
    if st.session_state.get("cites_bart_signature") != method.signature:
        known.clear()
        st.session_state["cites_bart_signature"] = method.signature
    missing = [way for way in directions(pairs) if way not in known]
    if missing and not _scored(missing):
        return []
    found = bart_scores(pairs, known)
    if words := cut_words(found):
        shell.notice("info", words)
    return found


def _scored(missing: Sequence[tuple[str, str]]) -> bool:
    doing = "Scoring whole texts by BARTScore"
    return not under_way.paused(METHOD) and under_way.gather(
        METHOD, _begin, scoring.stop, missing, state.likelihoods(), most=_AT_A_TIME, doing=doing
    )


def _begin(portion: Portion) -> Job:
    options = tuple(sorted(methods.parameters(METHOD).items()))
    return scoring.worker().apply("likelihoods", METHOD, *portion, options=options, session=session.user())
