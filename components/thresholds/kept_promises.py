"""Frozen promises about misses on other responses than they were found on: whether they held, and whether they carry over."""

from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

import streamlit as st

from components import shell
from components.controls import table_csv
from components.thresholds import promise_tables as tables
from components.thresholds.state import BY_MARK, TEST
from groundscope.drawing.html import listed
from groundscope.errors import GroundscopeError
from groundscope.grounding.rules.frozen_rules import Decision
from groundscope.grounding.rules.promises import MEANING, KeptPromise, keep_promises, made_here, other_cases
from groundscope.grounding.runs.arrays import RunData


@contextmanager
def sentences_read() -> Iterator[None]:
    """Show a message where the sentences of the run cannot be read."""
    try:
        yield
    except (GroundscopeError, OSError, ValueError):
        shell.notice("bad", "The labelled sentences of this run cannot be read. Open the run again on the Runs page.")


@st.cache_data(max_entries=16, show_spinner="Reading the labelled sentences", hash_funcs=BY_MARK)
def _kept(run: RunData, decision: Decision, split: str | None) -> dict[str, KeptPromise]:
    return keep_promises(run, decision, split)


def show(run: RunData, decision: Decision) -> None:
    """The promises on test; on other cases without a test split, on all of them."""
    elsewhere = other_cases(run, decision)
    split = None if elsewhere and TEST not in run.labelled_splits() else TEST
    if made_here(run, decision, split):
        shell.notice("bad", "The promises were found on test itself, so that test says nothing about them.")
        return
    with sentences_read():
        kept = _kept(run, decision, split)
        titles = {m.id: m.title for m in run.methods}
        st.html(f'<h3 class="gs-small">Promises about misses, {"all responses" if split is None else split}</h3>')
        if elsewhere:
            _doubt(decision, kept, titles)
        st.html(tables.kept_html(kept, titles))
        st.html(f'<p class="gs-note gs-measure">{escape(MEANING)}</p>')
        table_csv(tables.kept_table(kept, titles, decision.promised), f"{run.name} promises kept", "thresholds_kept_csv")


def _doubt(decision: Decision, kept: dict[str, KeptPromise], titles: dict[str, str]) -> None:
    differ = any(one.likeness.different for one in kept.values())
    shell.notice(
        "bad" if differ else "info",
        f"These are other cases than those of the run {decision.run}, where the promises were found. "
        + (
            "For some methods the supports differ from those there: do not rely on their promises here."
            if differ
            else "Whether the promises carry over is not known: it takes labelled cases from here, on which to search again."
        ),
    )
    st.html(listed(tables.likeness_words(kept, titles)))
