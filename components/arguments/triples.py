"""The arguments behind a figure: filtered, listed, and one of them opened, coloured, beside its triple."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from components import shell
from components.arguments import state, tables, words
from components.arguments.sources import Source
from components.arguments.state import Filter
from evaluation.arguments.judged import Judged
from evaluation.arguments.scoring import kinds
from evaluation.arguments.types import Test

_ALL = "All"
_MOST_LISTED = 1_000
_ROWS = 4
"""Of the list that are seen at once, so that the open argument stays in sight."""
_ERRORS = {"invented": "Invented", "wrong case": "Wrong case", "missed": "Not used"}


def show(source: Source, extractor: str) -> None:
    """Filters, list and the open argument."""
    wanted = _filters(source)
    found = [j for j in source.judged if _fits(j, wanted, extractor)]
    if not found:
        shell.notice("info", "No argument is of this kind. Choose another one above.")
        return
    # What went wrong first: that is what one looks for.
    found.sort(key=lambda j: -_wrong(j, extractor))
    listed = found[:_MOST_LISTED]
    more = f" The first {len(listed):,} are listed." if len(listed) < len(found) else ""
    st.html(
        f"<p class='gs-note'>{len(found):,} of {words.counted(len(source.judged), 'argument')}, those with most errors first."
        f"{more} Tick one to open it.</p>"
    )
    event: Any = st.dataframe(
        _frame(listed, extractor),
        hide_index=True,
        width="stretch",
        height=38 + 35 * min(len(listed), _ROWS),
        key=f"arguments_list_{hash((source.id, wanted, extractor))}",
        on_select="rerun",
        selection_mode="single-row",
        alt=f"{len(listed):,} arguments, a row each",
    )
    rows: Sequence[int] = event["selection"]["rows"]
    ticked = listed[rows[0]] if rows and rows[0] < len(listed) else None
    _one(source, ticked or _pasted(listed, wanted) or listed[0], extractor)


def _pasted(listed: Sequence[Judged], wanted: Filter) -> Judged | None:
    """The argument that was just pasted, while nothing is filtered."""
    if wanted != Filter():
        return None
    return next((j for j in listed if (j.scenario.id, j.arguer) == state.opened()), None)


def _wrong(one: Judged, extractor: str) -> float:
    """How much goes wrong, to sort by: a wrong abstention, or none where one is due, stands between one invention and two."""
    made = one.score(extractor)
    if made is None:
        return 1.2
    left_out = 0.0 if made.should_abstain else 1 - made.rec_u
    return made.hallucinated + 1.5 * (made.abstained is not made.should_abstain) + 0.4 * left_out


def _filters(source: Source) -> Filter:
    now = state.wanted()
    judged = source.judged
    levels: dict[str, tuple[str, list[Any]]] = {
        "arguer": ("Model", list(dict.fromkeys(j.arguer for j in judged))),
        "wording": ("Wording", list(dict.fromkeys(j.wording for j in judged if j.wording))),
        "test": ("Test", [t.value for t in Test if any(j.scenario.test is t for j in judged)]),
        "complexity": ("Complexity", sorted({j.scenario.complexity for j in judged})),
        "factor": ("Goes wrong", [f.key for f in source.catalogue.factors]),
        "error": ("How", list(_ERRORS)),
    }
    chosen: dict[str, Any] = {}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for name, (label, options) in levels.items():
            value = getattr(now, name)
            if len(options) < 2:
                chosen[name] = None
                continue
            if name == "factor" and value is not None and value not in options:
                options = [*options, value]
            # A click on a figure sets another filter: a widget of another key starts with it.
            choices: list[Any] = [_ALL, *options]
            picked = st.selectbox(
                label,
                choices,
                index=options.index(value) + 1 if value in options else 0,
                format_func=partial(_title, name=name, source=source),
                key=f"arguments_filter_{name}_{hash((source.id, value, tuple(options)))}",
                width=190,
            )
            chosen[name] = None if picked == _ALL else picked
    new = Filter(**chosen)
    if new != now:
        state.wanted(new)
        st.rerun()
    return new


def _title(option: Any, name: str, source: Source) -> str:
    if option == _ALL:
        return _ALL
    if name == "wording":
        return tables.wording_title(str(option))
    if name == "factor":
        factor = source.catalogue.by_key.get(str(option))
        return factor.written if factor else f"{option} (no factor)"
    return _ERRORS[str(option)] if name == "error" else str(option)


def _fits(one: Judged, wanted: Filter, extractor: str) -> bool:
    return (
        wanted.arguer in (None, one.arguer)
        and wanted.wording in (None, one.wording)
        and wanted.test in (None, one.scenario.test.value)
        and wanted.complexity in (None, one.scenario.complexity)
        and ((wanted.factor is None and wanted.error is None) or _goes_wrong(one, wanted, extractor))
    )


def _goes_wrong(one: Judged, wanted: Filter, extractor: str) -> bool:
    made = one.score(extractor)
    if made is None:
        return False
    for kind, by_case in kinds(made).items():
        if wanted.error not in (None, kind) or (kind == "missed" and made.should_abstain):
            continue
        if any(wanted.factor in keys if wanted.factor else keys for keys in by_case):
            return True
    return False


def _frame(found: Sequence[Judged], extractor: str) -> pd.DataFrame:
    rows = []
    for j in found:
        made = j.score(extractor)
        counts = {title: sum(map(len, kinds(made)[kind])) if made else None for kind, title in _ERRORS.items()}
        if j.scenario.test is Test.NON_ARGUABLE:
            counts["Not used"] = None
        rows.append(
            {
                "Model": j.arguer,
                **({"Wording": tables.wording_title(j.wording)} if any(o.wording for o in found) else {}),
                "Test": j.scenario.test.value,
                "Acc_H": None if made is None else round(100 * made.acc_h, 1),
                "Rec_U": None if made is None or made.should_abstain else round(100 * made.rec_u, 1),
                **counts,
                "Abstains": "no argument" if made is None else "yes" if made.abstained else "no",
                "Triple": j.scenario.id,
            }
        )
    return pd.DataFrame(rows)


def _one(source: Source, one: Judged, extractor: str) -> None:
    made = one.score(extractor)
    with st.container(border=True, key="arguments_one"):
        facts = [one.arguer, one.scenario.test.value, one.scenario.id, words.cost(one.cost)]
        if one.wording:
            facts.insert(1, f"wording: {tables.wording_title(one.wording)}")
        st.html(
            f"<h2 class='gs-small'>{escape(words.of_one(made))}</h2>"
            f"<p class='gs-note' dir='auto'>{escape(' · '.join(f for f in facts if f))}</p>"
            + (f"<p class='gs-note'>{escape(one.argument.note)}</p>" if one.argument.note else "")
        )
        left, right = st.columns([6, 5])
        left.html(tables.LEGEND + tables.scroll("Argument", tables.argument(one, source.catalogue)))
        right.html(
            tables.across("Triple", [tables.triple(one.scenario, source.catalogue, made)])
            + ("" if made is None else f"<h3 class='gs-small'>What goes wrong</h3>{tables.errors(made, source.catalogue)}")
        )
        if one.unread:
            shell.notice("info", f"What {source.extractor} extracted could not be read: {one.unread}")
        if one.other is not None:
            st.html(
                "<h3 class='gs-small'>Both extractors</h3>"
                + tables.across("Both extractors", [tables.extractions(one.exact, one.other, source.extractor, source.catalogue)])
                + (f"<p class='gs-note'>{escape(one.other.note)}</p>" if one.other.note else "")
            )
