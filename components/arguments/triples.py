"""The arguments behind a figure: filters, a list, and the open argument, coloured, beside its triple."""

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import streamlit as st

from components import shell
from components.arguments import messages, state, tables
from components.arguments.state import ArgumentFilter, ArgumentSource
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


def show(source: ArgumentSource, report: ArgumentsReport) -> None:
    """Filters, list and the open argument."""
    chosen = _choose(source)
    matching = [j for j in source.judged if _fits(j, chosen, report)]
    if not matching:
        shell.notice("info", "No argument matches the filters. Change a filter above.")
        return
    # Arguments with most errors first.
    matching.sort(key=lambda j: -_wrong(report.score(j)))
    listed = matching[:_MOST_LISTED]
    more = f" The first {len(listed):,} are listed." if len(listed) < len(matching) else ""
    st.html(
        f"<p class='gs-note'>{len(matching):,} of {plural(len(source.judged), 'argument')}, those with most errors first."
        f"{more} Tick one to open it.</p>"
    )
    key = f"arguments_list_{hash((source.id, chosen, report.extractor, report.without_silent))}"
    row = ticked_list(_frame(listed, report), key, _ROWS, f"{len(listed):,} arguments, a row each")
    _one(source, (_pasted(listed, chosen) or listed[0]) if row is None else listed[row], report)


def _choose(source: ArgumentSource) -> ArgumentFilter:
    """Draw the filters and return the current choice."""
    now = state.argument_filter()
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
        state.argument_filter(new)
        st.rerun()
    return new


def _tests(judged: Sequence[Judged]) -> list[str]:
    present = [t.value for t in Test if any(j.scenario.test is t for j in judged)]
    # Where all can be argued, "both tests" is the same as no filter.
    return [*present, state.ARGUED] if len(present) > 1 and Test.NON_ARGUABLE.value in present else present


def _title(source: ArgumentSource, name: str, option: Any) -> str:
    if name == "wording":
        return tables.wording_title(str(option))
    if name == "factor":
        factor = source.catalogue.by_key.get(str(option))
        return factor.written if factor else f"{option} (no factor)"
    if name == "complexity" and not option:
        return "unknown"
    return tables.ERRORS[str(option)] if name == "error" else str(option)


def _fits(judged: Judged, chosen: ArgumentFilter, report: ArgumentsReport) -> bool:
    """Whether an argument passes the filter, by the factors that count in the report."""
    return (
        chosen.arguer in (None, judged.arguer)
        and chosen.wording in (None, judged.wording)
        and chosen.test in (None, judged.scenario.test.value, None if judged.scenario.test is Test.NON_ARGUABLE else state.ARGUED)
        and chosen.complexity in (None, judged.scenario.complexity)
        and ((chosen.factor is None and chosen.error is None) or _goes_wrong(report.score(judged), chosen))
    )


def _goes_wrong(score: Score | None, chosen: ArgumentFilter) -> bool:
    if score is None:
        return False
    for kind, by_case in kinds(score).items():
        if chosen.error not in (None, kind) or (kind == "missed" and score.should_abstain):
            continue
        if any(chosen.factor in keys if chosen.factor else keys for keys in by_case):
            return True
    return False


def _pasted(listed: Sequence[Judged], chosen: ArgumentFilter) -> Judged | None:
    """The argument that was just pasted, if no filter is set."""
    if chosen != ArgumentFilter():
        return None
    return next((j for j in listed if (j.scenario.id, j.arguer, j.wording) == state.opened()), None)


def _wrong(score: Score | None) -> float:
    """Sort key, most errors first: a wrong or missing abstention counts between one invention and two."""
    if score is None:
        return 1.2
    left_out = 0.0 if score.should_abstain else 1 - score.rec_u
    return score.hallucinated + 1.5 * (score.abstained is not score.should_abstain) + 0.4 * left_out


def _frame(arguments: Sequence[Judged], of: ArgumentsReport) -> pd.DataFrame:
    rows = []
    for j in arguments:
        score = of.score(j)
        counts = {title: sum(map(len, kinds(score)[kind])) if score else None for kind, title in tables.ERRORS.items()}
        if j.scenario.test is Test.NON_ARGUABLE:
            counts["Not used"] = None
        rows.append(
            {
                "Model": j.arguer,
                **({"Wording": tables.wording_title(j.wording)} if any(o.wording for o in arguments) else {}),
                "Test": j.scenario.test.value,
                **counts,
                "Stops": _abstains(j, score),
                "Triple": j.scenario.id,
            }
        )
    return pd.DataFrame(rows)


def _abstains(judged: Judged, score: Score | None) -> str:
    if judged.argument.empty:
        return "no argument"
    if score is None:
        return "not measured"
    return "yes" if score.abstained else "no"


def _one(source: ArgumentSource, judged: Judged, of: ArgumentsReport) -> None:
    score = of.score(judged)
    with st.container(border=True, key="arguments_one"):
        facts = [judged.arguer, judged.scenario.test.value, judged.scenario.id, messages.cost(judged.cost)]
        if judged.wording:
            facts.insert(1, f"wording: {tables.wording_title(judged.wording)}")
        st.html(
            f"<h2 class='gs-small'>{escape(messages.of_one(judged, score))}</h2>"
            f"<p class='gs-note' dir='auto'>{escape(' · '.join(f for f in facts if f))}</p>"
            + "".join(f"<p class='gs-note'>{escape(note)}</p>" for note in (judged.argument.note, judged.exact.note) if note)
        )
        if of.extractor != EXACT and score is not None:
            note = f"The figures use what {source.extractor} extracted. Colours follow numbers and names, which may differ."
            st.html(f"<p class='gs-note'>{escape(note)}</p>")
        left, right = st.columns([6, 5])
        left.html(tables.LEGEND + region("Argument", tables.argument(judged, source.catalogue), css="gs-scroll gs-tall"))
        right.html(
            region("Triple", tables.triple(judged.scenario, source.catalogue, score))
            + ("" if score is None else f"<h3 class='gs-small'>What goes wrong</h3>{tables.errors(score, source.catalogue)}")
        )
        if judged.unread:
            shell.notice("info", f"The extraction of {source.extractor} could not be read: {judged.unread}")
        if judged.other is not None:
            st.html(
                "<h3 class='gs-small'>Both extractors</h3>"
                + region("Both extractors", tables.extractions(judged.exact, judged.other, source.extractor))
                + (f"<p class='gs-note'>{escape(judged.other.note)}</p>" if judged.other.note else "")
            )
