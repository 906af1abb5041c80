"""Having a chat model extract, too, from arguments that are there already: pasted, loaded, or of a finished run."""

from html import escape

import streamlit as st

from components.arguments.sources import ArgumentSource
from components.chat.choice import offered
from components.controls import errors_shown, unfolded
from components.experiments.jobs import jobs
from components.experiments.offer import offer
from groundscope.arguments import loading
from groundscope.methods import registry
from groundscope.text.humanize import plural


def show(source: ArgumentSource) -> None:
    """The offer, where everything that is to be read has been written."""
    if source.complete:
        unfolded("Extract with a model, too", "arguments_extract", _offer, source)


def _offer(source: ArgumentSource) -> None:
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        chats = offered("arguments_extract_chat")
    if not chats:
        left.html("<p class='gs-note'>Choose a chat model first: here, or on the Methods page.</p>")
        return
    model = str(left.selectbox("Who extracts", chats, key=f"arguments_extract_{hash(tuple(chats))}"))
    chosen = f"chat:{model}"
    name = f"{source.name}, extracted by {model.partition('@')[0].partition(';')[0]}"
    st.html(
        f"<p class='gs-note gs-measure'>It reads the text of {plural(len(source.judged), 'argument')}, without the triples. "
        f"Texts and lists are kept on this machine, until you delete them; when it is done, they stand above under Arguments as "
        f"<b>{escape(name)}</b>, with how far both extractors agree.</p>"
    )
    with errors_shown(ValueError):
        takes = loading.extraction_forecast(source.judged, chosen, registry.chat)
        limits = offer([takes], "arguments_extract")
        if limits is not None:
            jobs().resume(loading.begin_extraction(name, source.catalogue, source.judged, chosen, registry.chat, limits))
            st.rerun()
