"""The user's own classifiers: what they gained on dev, model cards, and buttons to use, download and delete them."""

import io
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from components import case_sets, shell, state
from components.controls import download, needs, unfolded
from components.methods.card import card_html
from components.training import messages as words
from components.training import state as keys
from components.training.runner import trainer
from groundscope.drawing.html import facts, region
from groundscope.errors import DataError
from groundscope.storage.team.roles import Role
from groundscope.training.finetuning import RECORD, record
from groundscope.training.own_models import folder_of, own_models
from groundscope.training.pairs import LABEL_WARNING

_MOST = 600_000_000
"""Most bytes of a folder sent through the browser, because it is held in memory meanwhile."""


def show() -> None:
    """One card per model, the newest first."""
    there = [name for name in own_models() if not trainer().works(name)]
    for name in sorted(there, key=finished_at, reverse=True):
        _model(name)


def finished_at(name: str) -> float:
    """When it was finished, in seconds of the epoch; 0 if unknown."""
    try:
        return (folder_of(name) / RECORD).stat().st_mtime
    except OSError:
        return 0.0


def _model(name: str) -> None:
    folder, new = folder_of(name), trainer().new(name)
    details = record(folder)
    with st.container(border=True, key=f"own_{name}"):
        badge = " <span class='gs-state ready'>New</span>" if new else ""
        st.html(f"<h3 class='gs-small'>{escape(name)}{badge}</h3><p class='gs-note'>{escape(_facts(name, details))}</p>")
        if details and not details.get("responses"):
            shell.notice("info", f"It has no scores on whole responses of dev. {trainer().unjudged(name)}".strip())
        if warning := (details.get("about") or {}).get(LABEL_WARNING):
            shell.notice("bad", str(warning))
        if gain := words.verdict(details):
            st.html(f"<p class='gs-measure'>{escape(gain)}</p>")
        with st.container(horizontal=True, vertical_alignment="center"):
            label = "Keep and use in the heatmap" if new else "Use in the heatmap"
            if st.button(label, key=f"use_own_{name}", type="primary" if new else "secondary"):
                _use(name)
            if new:
                st.button("Keep", key=f"keep_{name}", on_click=trainer().seen, args=(name,))
            deletion(name, "The model and its card are deleted permanently. Results made with it stay.")
        unfolded("Model card and files", f"card_{name}", _card, name, folder, expanded=new)


def deletion(name: str, what: str) -> None:
    """Delete in two steps, because it cannot be undone."""
    with st.popover("Delete", key=f"discard_{name}"):
        st.html(f"<p class='gs-note'>{escape(what)}</p>")
        st.button("Delete it", key=f"discard_yes_{name}", on_click=_delete, args=(name,), **needs(Role.LEAD))


def _delete(name: str) -> None:
    try:
        trainer().delete(name)
    except DataError as error:
        keys.problem(str(error))
    else:
        keys.forget_method(f"grounding_classifier:{name}")


def _facts(name: str, details: Mapping[str, Any]) -> str:
    when = datetime.fromtimestamp(finished_at(name), UTC).strftime("%Y-%m-%d %H:%M") if finished_at(name) else ""
    about, pairs = details.get("about") or {}, details.get("pairs") or {}
    learned = f"{int(pairs['train']):,} pairs of {about.get('Data', 'cases')}" if "train" in pairs else "made elsewhere"
    base = f"from {Path(str(about['Base'])).name}" if about.get("Base") else ""
    return " · ".join(part for part in (f"method grounding_classifier:{name}", learned, base, when) if part)


def _use(name: str) -> None:
    trainer().seen(name)
    method = f"grounding_classifier:{name}"
    state.show_method(method)
    case = state.opened() or case_sets.SHOWCASE[0]
    st.switch_page("pages/heatmap.py", query_params={"case": case, "method": method})


def _card(name: str, folder: Path) -> None:
    card = card_text(folder)
    size = sum(path.stat().st_size for path in _files(folder))
    with st.container(horizontal=True, vertical_alignment="center"):
        download("Card as Markdown", card, f"{name}.md", f"card_md_{name}", disabled=not card)
        if size <= _MOST:
            label = f"Folder as ZIP, {max(1, round(size / 1e6)):,} MB"
            download(label, lambda: zipped(folder, name), f"{name}.zip", f"own_zip_{name}")
        else:
            st.html("<p class='gs-note'>The folder is too large for the browser. Copy it from the path below.</p>")
    st.html(facts([("Folder", str(folder))]))
    if not card:
        st.html("<p class='gs-note'>Its folder has no model card.</p>")
        return
    st.html(region(f"Model card of {name}", card_html(card), css="gs-scroll"))


def card_text(folder: Path) -> str:
    """The model card; empty if it is missing or unreadable."""
    try:
        return (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def zipped(folder: Path, name: str) -> bytes:
    """The folder's own files under the model's name; links out of it are left out."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for path in _files(folder):
            archive.write(path, f"{name}/{path.name}")
    return out.getvalue()


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    except OSError:
        return []
