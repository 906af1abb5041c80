"""The frame of every page: title, links between pages, style, and notices that never draw user text as markup."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import streamlit as st

from components import case_sets, state
from components.scoring import app_worker
from components.team import account, login
from groundscope.drawing.html import listed
from groundscope.errors import GroundscopeError
from groundscope.text.humanize import plural

Kind = Literal["good", "bad", "info"]
PLACES: Mapping[str, Mapping[str, str]] = {
    "Check": {
        "Overview": "app.py",
        "Cases": "pages/cases.py",
        "Heatmap": "pages/heatmap.py",
        "Review": "pages/review.py",
    },
    "Evaluate": {
        "Compare": "pages/compare.py",
        "Errors": "pages/errors.py",
        "Thresholds": "pages/thresholds.py",
        "Sensitivity": "pages/sensitivity.py",
        "Runs": "pages/runs.py",
    },
    "Research": {
        "Legal RAG": "pages/legal_rag.py",
        "Citation recall": "pages/citation_recall.py",
        "Arguments": "pages/arguments.py",
    },
}
"""The places of the app with their pages, by title. A place opens with the page that was last visited there, at first the first;
the page of the methods stands beside them, and lists the pages of none."""

STATIC = Path(__file__).parent / "static"
# Our own file: the browser would fetch Streamlit's named icons from another host.
_ICON = str(STATIC / "icon.svg")


def style(name: str) -> str:
    """A style sheet as HTML."""
    return f"<style>{_text(f'{name}.css')}</style>"


def component(name: str, *, root: str, css: tuple[str, ...], scripts: tuple[str, ...]) -> Any:
    """A browser component in an element of the class `root`, with its style sheets; the last of its scripts draws it."""
    sheets, script = (_text(*(f"{part}.{kind}" for part in parts)) for parts, kind in ((css, "css"), (scripts, "js")))
    return st.components.v2.component(f"groundscope_{name}", html=f'<div class="{root}"></div>', css=sheets, js=script)


def _text(*files: str) -> str:
    return "\n".join((STATIC / file).read_text(encoding="utf-8") for file in files)


_STYLE = style("pages")


def frame(title: str, about: str = "") -> None:
    """Open a page by its title: browser title, links to the places and to the pages of this one, style, and what it is about."""
    st.set_page_config(page_title=f"{title} · Groundscope", page_icon=_ICON, layout="wide")
    app_worker.freeze_imports()
    _secrets()
    st.html(_STYLE)
    who = login.gate()
    case_sets.forget_left_matters()
    app_worker.warm()
    with st.container(horizontal=True, vertical_alignment="center", key="navigation"):
        st.html('<span class="gs-brand">Groundscope</span>', width="content")
        place_now, last = _place(title)
        for place, pages in PLACES.items():
            with st.container(key="place_here" if title in pages else None, width="content"):
                st.page_link(last.get(place, next(iter(pages.values()))), label=place)
        if place_now:
            with st.container(horizontal=True, key="pages", width="content"):
                for label, path in PLACES[place_now].items():
                    st.page_link(path, label=label)
        with st.container(key="gear", width="content"):
            st.page_link("pages/methods.py", label="⚙ Methods")
        if who:
            account.entry(who)
    if about:
        heading(title, about)


def _place(title: str) -> tuple[str, dict[str, str]]:
    """The place of a page, empty for one outside them, and the page last visited in each place."""
    last: dict[str, str] = state.own("last_pages", {})
    place = next((place for place, pages in PLACES.items() if title in pages), "")
    if place:
        last[place] = PLACES[place][title]
    return place, last


@lru_cache(maxsize=1)
def _secrets() -> None:
    """Copy Streamlit's secrets into the environment, where the keys of models are read."""
    st.secrets.load_if_toml_exists()


def heading(title: str, subtitle: str = "") -> None:
    """Draw the page's h1 and a line under it; both may be text of a case."""
    sub = f'<p class="gs-sub" dir="auto">{escape(subtitle)}</p>' if subtitle else ""
    st.html(f'<h1 class="gs-title" dir="auto">{escape(title)}</h1>{sub}')


def section(title: str) -> None:
    """Draw the heading of a section (h2)."""
    st.html(f'<h2 class="gs-section">{escape(title)}</h2>')


def notice(kind: Kind, text: str) -> None:
    """Draw a message that may quote a file name or a field: escaped, never markdown."""
    role = "alert" if kind == "bad" else "status"
    st.html(f'<p class="gs-notice {kind}" role="{role}">{escape(text)}</p>')


def folded(summary: str, lines: Iterable[str]) -> None:
    """Draw lines that are shown on demand; nothing without any."""
    if items := listed(lines):
        st.html(f'<details class="gs-folded"><summary>{escape(summary)}</summary>{items}</details>')


def not_ready(count: int, lines: Iterable[str]) -> None:
    """Fold away which methods are not ready, and why."""
    folded(plural(count, "method is not ready", "methods are not ready"), lines)


def show_error(error: Exception) -> bool:
    """Show the message of an error that stopped a page; False for an unexpected one, which Streamlit shows."""
    if not isinstance(error, GroundscopeError):
        return False
    # A click's work runs before its page: there may be nothing else to see.
    st.html(_STYLE)
    notice("bad", str(error))
    # Two parts of a page may stop in one run.
    st.button("Show the page again", key=f"after_error_{uuid4().hex}")
    return True


def say(place: str, kind: Kind, text: str) -> None:
    """Store a message for a place on a page until its next draw: callbacks run before the page draws."""
    st.session_state[f"said_{place}"] = kind, text


def has_said(place: str) -> bool:
    """Whether a message waits: a fragment whose callback kept one must have the whole page drawn."""
    return f"said_{place}" in st.session_state


def show_said(place: str, about: str = "") -> None:
    """Show the message of a place: once, or as long as the page is about the same, where results that come draw it again."""
    if message := st.session_state.pop(f"said_{place}", None):
        st.session_state[f"stays_{place}"] = about, message
    then, stays = st.session_state.get(f"stays_{place}", ("", None))
    if message or (about and about == then):
        notice(*stays)
    else:
        st.session_state.pop(f"stays_{place}", None)


def plain(label: str) -> str:
    """Text for a label or a progress bar, without the characters that mean something in Streamlit's markdown."""
    return "".join(c if c.isalnum() or c in " .-,%" else " " for c in label)


def note(text: str) -> str:
    """A line in small grey letters, as HTML."""
    return f"<p class='gs-note'>{escape(text)}</p>"
