"""A badge on a case whose texts contain instructions to a model: their places and their words."""

from html import escape

import streamlit as st

from groundscope.cases.injections import KINDS, CaseSign, signs_of
from groundscope.drawing.html import Html, listed, tag
from groundscope.runtime.byte_cache import keep
from groundscope.types import Case

_SHOWN = 8
_PLACES = 4


@keep(megabytes=8)
def _signs(case: Case) -> tuple[CaseSign, ...]:
    return signs_of(case)


def show(case: Case) -> None:
    """Draw the badge if there are instructions."""
    signs = _signs(case)
    if not signs:
        return
    all_places = list(dict.fromkeys(map(_place, signs)))
    rest = len(all_places) - _PLACES
    places = ", ".join(all_places[:_PLACES]) + (f" and {rest:,} more" if rest > 0 else "")
    items = [
        Html(f"{tag('b', _place(s))} {escape(KINDS[s.sign.kind])}: {tag('q', s.sign.words, dir='auto')}") for s in signs[:_SHOWN]
    ]
    more = [f"and {len(signs) - _SHOWN:,} more"] if len(signs) > _SHOWN else []
    st.html(
        "<details class='gs-badge'><summary><b>Contains instructions to a model</b> in "
        f"{escape(places)}</summary><p>Methods that ask a model pass this text as data and take no verdict from it. It may "
        f"still sway a model: read these places yourself.</p>{listed([*items, *more], '')}</details>"
    )


def _place(sign: CaseSign) -> str:
    names = {"query": "the question", "response": "the answer"}
    number = (sign.passage or 0) + 1
    return names.get(sign.where) or (f"passage {number}" if sign.where == "context" else f"the title of passage {number}")
