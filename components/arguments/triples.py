"""The arguments behind a figure: filters, a list, and the open argument, coloured, beside its triple."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from components import shell
from components.arguments import messages, state, tables
from components.arguments.sources import ArgumentSource
from components.arguments.state import ArgumentFilter
from components.controls import filters, ticked_list
from groundscope.arguments.extraction import EXACT
from groundscope.arguments.report import ArgumentsReport
from groundscope.arguments.scoring import Score, kinds
from groundscope.arguments.summary import Judged
from groundscope.arguments.types import Test
from groundscope.drawing.html import region
from groundscope.text.humanize import plural

_MOST_LISTED = 1_000
_ROWS = 4
"""Rows of the list in view, so that the open argument stays in sight."""


def show(source: ArgumentSource, made: ArgumentsReport) -> None:
    """Filters, list and the open argument."""
    wanted = _choose(source)
    found = [j for j in source.judged if _fits(j, wanted, made)]
    if not found:
        shell.notice("info", "No argument matches the filters. Change a filter above.")
        return
    # Arguments with most errors first.
    found.sort(key=lambda j: -_wrong(made.score(j)))
    listed = found[:_MOST_LISTED]
    more = f" The first {len(listed):,} are listed." if len(listed) < len(found) else ""
    st.html(
        f"<p class='gs-note'>{len(found):,} of {plural(len(source.judged), 'argument')}, those with most errors first."
        f"{more} Tick one to open it.</p>"
    )
    key = f"arguments_list_{hash((source.id, wanted, made.extractor, made.without_silent))}"
    row = ticked_list(_frame(listed, made), key, _ROWS, f"{len(listed):,} arguments, a row each")
    _one(source, (_pasted(listed, wanted) or listed[0]) if row is None else listed[row], made)


def _choose(source: ArgumentSource) -> ArgumentFilter:
    """Draw the filters and return the current choice."""
    now = state.wanted()
    judged = source.judged
    levels: dict[str, tuple[str, list[Any]]] = {
        "arguer": ("Model", list(dict.fromkeys(j.arguer for j in judged))),
        "wording": ("Wording", list(dict.fromkeys(j.wording for j in judged if j.wording))),
        "test": ("Test", _tests(judged)),
        "complexity": ("Complexity", sorted({j.scenario.complexity for j in judged})),
        "factor": ("Goes wrong", list(dict.fromkeys([*source.catalogue.by_key, *filter(None, [now.factor])]))),
        "error": ("How", list(tables.ERRORS)),
    }
    levels = {name: (label, options) for name, (label, options) in levels.items() if len(options) > 1}
    new = ArgumentFilter(**filters(now, levels, partial(_title, source), "arguments_filter", source.id, 190))
    if new != now:
        state.wanted(new)
        st.rerun()
    return new


def _tests(judged: Sequence[Judged]) -> list[str]:
    found = [t.value for t in Test if any(j.scenario.test is t for j in judged)]
    # Where all can be argued, "both tests" is the same as no filter.
    return [*found, state.ARGUED] if len(found) > 1 and Test.NON_ARGUABLE.value in found else found


def _title(source: ArgumentSource, name: str, option: Any) -> str:
    if name == "wording":
        return tables.wording_title(str(option))
    if name == "factor":
        factor = source.catalogue.by_key.get(str(option))
        return factor.written if factor else f"{option} (no factor)"
    if name == "complexity" and not option:
        return "unknown"
    return tables.ERRORS[str(option)] if name == "error" else str(option)


def _fits(one: Judged, wanted: ArgumentFilter, made: ArgumentsReport) -> bool:
    """Whether an argument passes the filter, by the factors that count in the report."""
    return (
        wanted.arguer in (None, one.arguer)
        and wanted.wording in (None, one.wording)
        and wanted.test in (None, one.scenario.test.value, None if one.scenario.test is Test.NON_ARGUABLE else state.ARGUED)
        and wanted.complexity in (None, one.scenario.complexity)
        and ((wanted.factor is None and wanted.error is None) or _goes_wrong(made.score(one), wanted))
    )


def _goes_wrong(made: Score | None, wanted: ArgumentFilter) -> bool:
    if made is None:
        return False
    for kind, by_case in kinds(made).items():
        if wanted.error not in (None, kind) or (kind == "missed" and made.should_abstain):
            continue
        if any(wanted.factor in keys if wanted.factor else keys for keys in by_case):
            return True
    return False


def _pasted(listed: Sequence[Judged], wanted: ArgumentFilter) -> Judged | None:
    """The argument that was just pasted, if no filter is set."""
    if wanted != ArgumentFilter():
        return None
    return next((j for j in listed if (j.scenario.id, j.arguer, j.wording) == state.opened()), None)


def _wrong(made: Score | None) -> float:
    """Sort key, most errors first: a wrong or missing abstention counts between one invention and two."""
    if made is None:
        return 1.2
    left_out = 0.0 if made.should_abstain else 1 - made.rec_u
    return made.hallucinated + 1.5 * (made.abstained is not made.should_abstain) + 0.4 * left_out


def _frame(found: Sequence[Judged], of: ArgumentsReport) -> pd.DataFrame:
    rows = []
    for j in found:
        made = of.score(j)
        counts = {title: sum(map(len, kinds(made)[kind])) if made else None for kind, title in tables.ERRORS.items()}
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
                "Abstains": _abstains(j, made),
                "Triple": j.scenario.id,
            }
        )
    return pd.DataFrame(rows)


def _abstains(one: Judged, made: Score | None) -> str:
    if one.argument.empty:
        return "no argument"
    if made is None:
        return "not measured"
    return "yes" if made.abstained else "no"


def _one(source: ArgumentSource, one: Judged, of: ArgumentsReport) -> None:
    made = of.score(one)
    with st.container(border=True, key="arguments_one"):
        facts = [one.arguer, one.scenario.test.value, one.scenario.id, messages.cost(one.cost)]
        if one.wording:
            facts.insert(1, f"wording: {tables.wording_title(one.wording)}")
        st.html(
            f"<h2 class='gs-small'>{escape(messages.of_one(one, made))}</h2>"
            f"<p class='gs-note' dir='auto'>{escape(' · '.join(f for f in facts if f))}</p>"
            + "".join(f"<p class='gs-note'>{escape(note)}</p>" for note in (one.argument.note, one.exact.note) if note)
        )
        if of.extractor != EXACT and made is not None:
            note = f"The figures use what {source.extractor} extracted. Colours follow numbers and names, which may differ."
            st.html(f"<p class='gs-note'>{escape(note)}</p>")
        left, right = st.columns([6, 5])
        left.html(tables.LEGEND + region("Argument", tables.argument(one, source.catalogue), css="gs-scroll gs-tall"))
        right.html(
            region("Triple", tables.triple(one.scenario, source.catalogue, made))
            + ("" if made is None else f"<h3 class='gs-small'>What goes wrong</h3>{tables.errors(made, source.catalogue)}")
        )
        if one.unread:
            shell.notice("info", f"The extraction of {source.extractor} could not be read: {one.unread}")
        if one.other is not None:
            st.html(
                "<h3 class='gs-small'>Both extractors</h3>"
                + region("Both extractors", tables.extractions(one.exact, one.other, source.extractor, source.catalogue))
                + (f"<p class='gs-note'>{escape(one.other.note)}</p>" if one.other.note else "")
            )
