"""A benchmark by its hub id: fetched beside the page, which stays quick and can stop it."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from threading import Event, Thread

import streamlit as st

from components import shell
from groundscope.errors import Cancelled, GroundscopeError
from groundscope.rag.corpora.corpus import from_hub
from groundscope.rag.corpora.hub import LOCAL
from groundscope.rag.types import Benchmark

_LOADING = "rag_hub_loading"
"""The load that is under way, or ended last."""
_POLL = 0.5


@dataclass
class Loading:
    """The load of a hub id under way, or how it ended: with what was made, or with why nothing came and what to do."""

    name: str
    stop: Event = field(default_factory=Event)
    made: Benchmark | None = None
    refused: str = ""
    began: float = field(default_factory=time.monotonic)
    thread: Thread | None = None

    @property
    def works(self) -> bool:
        """Whether it is under way."""
        return self.thread is not None and self.thread.is_alive()

    def begin(self, load: Callable[[str, Event], Benchmark]) -> None:
        """Begin in a thread of its own."""
        self.thread = Thread(target=self._load, args=(load,), name="hub", daemon=True)
        self.thread.start()

    def _load(self, load: Callable[[str, Event], Benchmark]) -> None:
        try:
            self.made = load(self.name, self.stop)
        except Cancelled:
            self.refused = f"Loading {self.name} was stopped; {LOCAL}"
        except GroundscopeError as error:
            self.refused = str(error)
        except Exception as error:  # whatever a network does, the page must say that nothing came
            self.refused = f"{self.name} could not be loaded ({type(error).__name__}); {LOCAL}"


def _from_hub(name: str, stop: Event) -> Benchmark:
    from groundscope.rag.corpora.hub import published

    return from_hub(name, lambda hub_id: published(hub_id, stop))


def show() -> Benchmark | None:
    """The form, or how far a load is; what came, once."""
    loading: Loading | None = st.session_state.get(_LOADING)
    if loading is not None and loading.works:
        st.fragment(_watch, run_every=_POLL)(loading)
        return None
    if loading is not None and loading.made is not None:
        del st.session_state[_LOADING]
        return loading.made
    _form(loading)
    return None


def _form(last: Loading | None) -> None:
    st.html(
        "<p class='gs-note gs-measure'>A data set with the configurations <code>corpus</code> and <code>qa</code>, such as "
        "isaacus/legal-rag-bench (CC BY-NC). Its licence is shown when it is loaded. The hub learns that you load it, and "
        "nothing else.</p>"
    )
    if last is not None and last.refused:
        shell.notice("bad", last.refused)
    name = st.text_input(
        "Organisation/name", key="rag_hub", placeholder="isaacus/legal-rag-bench", max_chars=120, persist_state="session"
    ).strip()
    if st.button("Load it from the hub", key="rag_load_hub", disabled=not name):
        st.session_state[_LOADING] = loading = Loading(name)
        loading.begin(_from_hub)
        st.rerun()


def _watch(loading: Loading) -> None:
    if not loading.works:
        st.rerun()
    passed = time.monotonic() - loading.began
    st.html(f"<p class='gs-note' role='status'>Asking the hub for {escape(loading.name)}, {passed:.0f} s</p>")
    st.button("Cancel", key="rag_hub_cancel", on_click=loading.stop.set)
