"""Having a chat model extract, too, from arguments that are there already: pasted, loaded, or of a finished run."""

from html import escape

import streamlit as st

from components import shell
from components.arguments import chats
from components.arguments.sources import ArgumentSource
from components.experiments.jobs import jobs
from components.experiments.offer import offer
from groundscope.arguments import provided
from groundscope.errors import GroundscopeError
from groundscope.humanize import plural
from groundscope.methods import registry

_LABEL = "Extract with a model, too"


def show(source: ArgumentSource) -> None:
    """The offer, where everything that is to be read has been written."""
    if not source.complete:
        return
    with st.expander(_LABEL, key="arguments_extract", on_change="rerun") as panel:
        if panel.open:
            _offer(source)


def _offer(source: ArgumentSource) -> None:
    left, right = st.columns([5, 1], vertical_alignment="bottom")
    with right:
        offered = chats.chats("arguments_extract_chat")
    if not offered:
        left.html(f"<p class='gs-note'>{chats.NO_CHAT}</p>")
        return
    chosen = str(
        left.selectbox(
            "Who extracts",
            offered,
            format_func=lambda i: i.removeprefix("chat:"),
            key=f"arguments_extract_{hash(tuple(offered))}",
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
        takes = provided.forecast(source.judged, chosen, registry.chat)
        limits = offer([takes], "arguments_extract")
        if limits is not None:
            jobs().resume(provided.begin(name, source.catalogue, source.judged, chosen, registry.chat, limits))
            st.rerun()
    except (GroundscopeError, ValueError) as error:
        shell.notice("bad", str(error))
