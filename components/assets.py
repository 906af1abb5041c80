"""The plain CSS and JavaScript of `static/`: style sheets of pages, and browser components drawn by scripts."""

from pathlib import Path
from typing import Any

import streamlit as st

STATIC = Path(__file__).parent / "static"


def style(name: str) -> str:
    """A style sheet as HTML."""
    return f"<style>{_text(f'{name}.css')}</style>"


def component(name: str, *, root: str, css: tuple[str, ...], scripts: tuple[str, ...]) -> Any:
    """A browser component in an element of the class `root`, with its style sheets; the last of its scripts draws it."""
    sheets, script = (_text(*(f"{part}.{kind}" for part in parts)) for parts, kind in ((css, "css"), (scripts, "js")))
    return st.components.v2.component(f"groundscope_{name}", html=f'<div class="{root}"></div>', css=sheets, js=script)


def _text(*files: str) -> str:
    return "\n".join((STATIC / file).read_text(encoding="utf-8") for file in files)
