"""A badge on a case whose texts hold instructions to a model: where they stand and what they say."""

from functools import lru_cache
from html import escape

import streamlit as st

from evaluation.injections import KINDS, CaseSign, signs_of
from evaluation.types import Case

_SHOWN = 8
_PLACES = 4


@lru_cache(maxsize=32)
def _signs(case: Case) -> tuple[CaseSign, ...]:
    return signs_of(case)


def show(case: Case) -> None:
    """The badge, where there is something to say."""
    signs = _signs(case)
    if not signs:
        return
    all_places = list(dict.fromkeys(map(_place, signs)))
    rest = len(all_places) - _PLACES
    places = ", ".join(all_places[:_PLACES]) + (f" and {rest:,} more" if rest > 0 else "")
    items = "".join(
        f"<li><b>{escape(_place(s))}</b> {escape(KINDS[s.sign.kind])}: <q dir='auto'>{escape(s.sign.words)}</q></li>"
        for s in signs[:_SHOWN]
    )
    more = f"<li>and {len(signs) - _SHOWN:,} more</li>" if len(signs) > _SHOWN else ""
    st.html(
        "<details class='gs-badge'><summary><b>Holds instructions to a model</b> in "
        f"{escape(places)}</summary><p>Methods that ask a model give it this text as data and take no verdict from it. It may "
        f"still sway a model: read these places yourself.</p><ul>{items}{more}</ul></details>"
    )


def _place(sign: CaseSign) -> str:
    names = {"query": "the question", "response": "the answer"}
    number = (sign.passage or 0) + 1
    return names.get(sign.where) or (f"passage {number}" if sign.where == "context" else f"the title of passage {number}")
