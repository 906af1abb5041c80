"""Having a chat model extract, too, from arguments that are there already: pasted, loaded, or of a finished run."""

from html import escape

import streamlit as st

import scorers
from components import shell
from components.arguments import offering
from components.arguments.sources import Source
from components.arguments.under_way import go_on
from evaluation.arguments import given
from evaluation.errors import GroundscopeError
from evaluation.words import plural

_LABEL = "Extract with a model, too"


def show(source: Source) -> None:
    """The offer, where everything that is to be read has been written."""
    if not source.complete:
        return
    with st.expander(_LABEL, key="arguments_extract", on_change="rerun") as panel:
        if panel.open:
            _offer(source)


def _offer(source: Source) -> None:
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        chats = offering.chats("arguments_extract_chat")
    if not chats:
        left.html(f"<p class='gs-note'>{offering.NO_CHAT}</p>")
        return
    chosen = str(
        left.selectbox(
            "Who extracts", chats, format_func=lambda i: i.removeprefix("chat:"), key=f"arguments_extract_{hash(tuple(chats))}"
        )
    )
    model = chosen.removeprefix("chat:")
    name = f"{source.name}, extracted by {model.partition('@')[0].partition(';')[0]}"
    st.html(
        f"<p class='gs-note gs-measure'>It reads the text of {plural(len(source.judged), 'argument')}, without the triples. "
        f"Texts and lists are kept on this machine, until you delete them; when it is done, they stand above under Arguments as "
        f"<b>{escape(name)}</b>, with how far both extractors agree.</p>"
    )
    try:
        takes = given.forecast(source.judged, chosen, scorers.chat)
        if offering.agreed([takes], "arguments_extract_start"):
            go_on(given.begin(name, source.catalogue, source.judged, chosen, scorers.chat))
            st.rerun()
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
