"""The pairs behind a cell of the matrix: a sentence and its variant, with both supports."""

import numpy as np
import streamlit as st

from components import shell
from components.controls import download, one_of
from components.errors.cells import titles
from components.runs import choice
from components.runs.choice import Open
from components.runs.copies import page_of
from components.runs.copy_cells import Picked
from groundscope.cases.dataset import to_jsonl
from groundscope.drawing.html import marked, side_by_side, tag
from groundscope.grounding.sensitivity.matrix import Matrix, noticed, title
from groundscope.grounding.sensitivity.pairs import KNOWN, EditPair, changed
from groundscope.types import Case

_ORDERS = {"missed": "Not noticed first", "noticed": "Noticed first"}


def show(open_: Open, found: Matrix, picked: Picked) -> None:
    """The list, and buttons that open the heatmap."""
    run, method = open_.run, open_.run.method(picked.method)
    shell.section(f"{title(picked.line)}, {titles(run)[picked.method]}")
    pairs = found.pairs[picked.line]
    drops = noticed(run, method, pairs)
    order = one_of("Order", _ORDERS, "sensitivity_order")
    # Pairs without a support come last, whichever way round.
    by = np.argsort(drops if order == "missed" else -drops, kind="stable")
    rows = page_of([pairs[int(i)] for i in by], f"sensitivity_page_{picked}_{order}")
    texts = run.read_cases([row for pair in rows for row in (pair.sentence, pair.variant)])
    for number, pair in enumerate(rows):
        _pair(open_, method, pair, texts[2 * number], texts[2 * number + 1])
    kept = [row for i in by for row in (pairs[int(i)].sentence, pairs[int(i)].variant)]
    download("Download these pairs", lambda: to_jsonl(run.read_cases(kept)), "pairs.jsonl", "sensitivity_pairs")


def _pair(open_: Open, method: int, pair: EditPair, sentence: Case, variant: Case) -> None:
    run = open_.run
    before, after = run.support[method][[pair.sentence, pair.variant]]
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            words = f"{KNOWN[pair.operator].title}: {_number(before)} to {_number(after)}"
            st.html(tag("b", words), width="content")
            for label, row in (("Open the sentence", pair.sentence), ("Open the variant", pair.variant)):
                if st.button(label, key=f"sensitivity_{row}_{pair.variant}"):
                    choice.open_case(run, row, run.methods[method].id, 0)
        st.html(beside(sentence, variant))


def _number(support: float) -> str:
    return "no support" if np.isnan(support) else f"{support:.3f}"


def beside(sentence: Case, variant: Case) -> str:
    """The two, with what differs marked, and why it is wrong."""
    start, end, other = changed(sentence.response, variant.response)
    texts = {
        "Sentence": marked(sentence.response, start, end, "del"),
        "Variant": marked(variant.response, start, other, "ins"),
    }
    return side_by_side(texts, variant.errors[0].why if variant.errors else "")
