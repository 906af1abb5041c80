"""What every page has: its title, the links between pages, the look, and notices that never draw user text as markup."""

from html import escape
from pathlib import Path
from typing import Literal

import streamlit as st

from components import scoring

PAGES = (("app.py", "Overview"), ("pages/cases.py", "Cases"), ("pages/heatmap.py", "Heatmap"))

# A file of our own: the icons that Streamlit knows by name are fetched from another host.
_ICON = str(Path(__file__).parent / "static" / "icon.svg")

_STYLE = """
<style>
[data-testid="stMainBlockContainer"]{padding-top:2.4rem;padding-bottom:3rem;max-width:1380px;margin:0 auto}
[data-testid="stHeader"]{background:transparent}
.gs-brand{font:600 1.05rem "Source Serif",Georgia,serif;letter-spacing:.01em;margin-right:1.2rem;white-space:nowrap}
.gs-title{font:600 1.4rem/1.3 "Source Serif",Georgia,serif;margin:.2rem 0 0;padding:0;overflow-wrap:anywhere}
.gs-sub{opacity:.78;margin:0;overflow-wrap:anywhere}
.gs-notice{border-left:3px solid;padding:.35rem .8rem;margin:.2rem 0;border-radius:2px;overflow-wrap:anywhere}
.gs-notice.bad{border-color:rgb(213 94 0);background:rgb(213 94 0/.10)}
.gs-notice.good{border-color:rgb(0 114 178);background:rgb(0 114 178/.10)}
.gs-notice.info{border-color:rgb(128 128 128/.7);background:rgb(128 128 128/.10)}
.gs-text{font:1rem/1.6 "Source Serif",Georgia,serif;white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 .8rem;max-width:75ch}
.gs-lead{font:400 1.12rem/1.55 "Source Serif",Georgia,serif;max-width:62ch;margin:.2rem 0 .6rem}
.gs-lead mark{background:rgb(213 94 0/.18);border-bottom:2px dashed rgb(213 94 0);color:inherit;padding:0 2px}
.gs-mark{background:rgb(213 94 0/.18);border-bottom:2px dashed rgb(213 94 0);color:inherit}
.gs-methods{width:100%;border-collapse:collapse;font-size:.95rem}
.gs-methods th,.gs-methods td{text-align:left;padding:.4rem .8rem .4rem 0;vertical-align:top;border-bottom:1px solid rgb(128 128 128/.3)}
.gs-methods th{font-weight:600}
</style>
"""


def frame(title: str) -> None:
    """Open a page: browser title, links to all pages, style. Every page calls this first."""
    st.set_page_config(page_title=f"{title} · Groundscope", page_icon=_ICON, layout="wide")
    scoring.warm()
    st.html(_STYLE)
    with st.container(horizontal=True, vertical_alignment="center", key="navigation"):
        st.html('<span class="gs-brand">Groundscope</span>', width="content")
        for path, label in PAGES:
            st.page_link(path, label=label)


def heading(title: str, subtitle: str = "") -> None:
    """The page's h1 and a line under it; both may be text of a case."""
    sub = f'<p class="gs-sub" dir="auto">{escape(subtitle)}</p>' if subtitle else ""
    st.html(f'<h1 class="gs-title" dir="auto">{escape(title)}</h1>{sub}')


def notice(kind: Literal["good", "bad", "info"], text: str) -> None:
    """A message that may quote a file name or a field: escaped, never markdown."""
    role = "alert" if kind == "bad" else "status"
    st.html(f'<p class="gs-notice {kind}" role="{role}">{escape(text)}</p>')
