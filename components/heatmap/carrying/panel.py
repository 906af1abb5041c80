"""The panel: the sentence and method that are chosen in the heatmap, what carries it, and before a model is asked the cost."""

from collections.abc import Sequence
from concurrent.futures import wait
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from components import shell, state
from components.assets import style
from components.chat import consent
from components.chat import methods as asking
from components.controls import download, errors_shown, one_of, progress, unfolded
from components.heatmap.carrying import words, work
from components.heatmap.carrying.work import CarrierSearch
from components.worker import scoring
from groundscope.chat.messages import Estimate
from groundscope.drawing.board import MethodRow
from groundscope.drawing.html import Html, listed, tag
from groundscope.grounding.sensitivity.carriers import Carried, SentenceCarriers, frame
from groundscope.grounding.sensitivity.leave_one_out import WHOLE, more_for_sentences, versions
from groundscope.grounding.tables import frame_csv
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import aligned
from groundscope.text.humanize import spell
from groundscope.text.sentences import context_sentences
from groundscope.types import Case, Judgement, Status

KEY = "carrying"
_PATIENCE = 1.5
"""Seconds that a page waits before it says how far the work is: longer than methods without a large model take on a sample."""
_POLL = 0.3
_SLOW = 4.0
"""Seconds of one score from which a method is not asked many times without a click."""
_STYLE = style("carrying")
_ABOUT = (
    "is left out and the answer is scored again. This shows what the method rests on, not what is true. Of two sources that say "
    "the same, neither changes anything alone."
)
_PARTS = {"sources": "Each source", "sentences": "Each source and each of its sentences"}
"""How far a chat model is asked; the first is where the choice begins."""


def is_open() -> bool:
    """Whether the panel is open, so that the heatmap has to say which sentence is chosen."""
    return bool(st.session_state.get(KEY))


def chosen(case: Case, key: str, pick: Any) -> None:
    """Take what is chosen in the heatmap of the case with a key; values from the browser are checked before use."""
    if not is_open() or not isinstance(pick, dict) or pick.get("case") != key:
        return
    method, sentence = pick.get("method"), pick.get("sentence")
    if isinstance(method, str) and isinstance(sentence, int) and _picks().get("last") != (case, method, sentence):
        _picks()["last"] = (case, method, sentence)
        st.rerun()


def _picks() -> dict[str, tuple[Case, str, int]]:
    return state.own("carrying_pick", {})


def waits(case: Case, rows: Sequence[MethodRow]) -> bool:
    """Whether the panel is open and the chosen method has no score yet: it is drawn again as soon as there is one."""
    return is_open() and _picked(case, rows) is None


def show(case: Case, rows: Sequence[MethodRow]) -> None:
    """The panel, drawn only while it is open."""
    unfolded("What carries this sentence", KEY, _show, case, tuple(rows))


def _show(case: Case, rows: Sequence[MethodRow]) -> None:
    st.html(_STYLE)
    picked = _picked(case, rows)
    if picked is None:
        shell.notice("info", "The chosen method has no score of this answer. Choose another one, or wait until it has.")
        return
    row, judgement, sentence = picked
    st.html(_head(case, row, judgement, sentence))
    asks = scoring.loaded(row.id).asks
    asked = _depth(case, row, sentence) if asks else work.question(row.id, case, sentence, row.threshold)
    if asked is None:
        return
    known = work.answer(asked)
    if known is None and work.running(asked) is None:
        if asks:
            _offer(asked, row, judgement)
            return
        if judgement.seconds > _SLOW:
            _slow(asked, row, judgement)
            return
        work.start(asked, judgement)
    if job := work.running(asked):
        wait([job.future], timeout=_PATIENCE)
    waiting = work.answer(asked) is None
    st.fragment(_live, run_every=_POLL if waiting else None)(asked, row, judgement, sentence, waiting)


def _picked(case: Case, rows: Sequence[MethodRow]) -> tuple[MethodRow, Judgement, int] | None:
    """The method and sentence that the heatmap shows: as it said, as the link says, or as it opens by itself."""
    of, method, sentence = _picks().get("last", (None, "", -1))
    if of != case:
        number = st.query_params.get("sentence", "")
        method, sentence = st.query_params.get("method", ""), int(number) - 1 if number.isdecimal() and len(number) < 7 else -1
    scored = [r for r in rows if r.judgement and r.judgement.status is Status.SCORED]
    row = next((r for r in rows if r.id == method), next(iter(scored), None))
    if row is None or row.judgement is None or row not in scored:
        return None
    supports = [s.support for s in aligned(case, row.judgement)]
    known = {i: s for i, s in enumerate(supports) if s is not None}
    if not known or 0 <= sentence < len(supports):
        return row, row.judgement, sentence if known else WHOLE
    flagged = verdict(row.judgement, row.threshold).flagged
    return row, row.judgement, flagged[0] if flagged else min(known, key=known.__getitem__)


def _head(case: Case, row: MethodRow, judgement: Judgement, sentence: int) -> Html:
    what, support, text = "The whole answer", judgement.support, ""
    if sentence != WHOLE:
        own = aligned(case, judgement)[sentence]
        what, support, text = f"Sentence {sentence + 1}", own.support, case.response[own.start : own.end]
    rule = f", threshold {row.threshold:.2f}" if row.threshold is not None else ""
    said = f"{what}, {row.about.title}: {words.support_words(support, row.threshold)}{rule}"
    return Html(tag("p", tag("b", said)) + (tag("p", text, class_="gs-text", dir="auto") if text else ""))


def _depth(case: Case, row: MethodRow, sentence: int) -> CarrierSearch | None:
    """Choose how far a model is asked, each with its cost, until all is known; None where the cost cannot be estimated."""
    few, whole = (work.question(row.id, case, sentence, row.threshold, sentences=more) for more in (False, True))
    if work.answer(whole) is not None or work.running(whole):
        return whole
    with errors_shown():
        costs = _costs(case, row)
        chosen = one_of("Leave out", _PARTS, "carrying_parts")
        st.html(listed([f"{_PARTS[part]}: {consent.cost_words(cost)}" for part, cost in costs.items()], "gs-note"))
        return whole if chosen == "sentences" else few
    return None


def _costs(case: Case, row: MethodRow) -> dict[str, Estimate]:
    """What it costs at most to leave out sources, and to leave out their sentences, too."""
    made = scoring.loaded(row.id)
    address, sources = asking.leaves(made), [made.estimate(one) for one in versions(case)]
    more = [made.estimate(case)] * more_for_sentences(case)
    return {"sources": asking.total(address, sources), "sentences": asking.total(address, [*sources, *more])}


def _offer(asked: CarrierSearch, row: MethodRow, judgement: Judgement) -> None:
    """What asking costs, and the button: each part that is left out is a question of its own."""
    made = scoring.loaded(row.id)
    with errors_shown():
        address = asking.leaves(made)
        cost = _costs(asked.case, row)["sentences" if asked.sentences else "sources"]
        offer = asking.Offer(address or "this machine", (row.about.title,), cost)
        each = "source, without each of their sentences," if asked.sentences else "source,"
        st.html(shell.note(f"The model is asked again without each {each} without all, and without those that change nothing."))
        st.html(consent.words(offer))
        label = f"Send to {address} and find out" if address else "Ask and find out"
        st.button(shell.plain(label), key="carrying_start", type="primary", on_click=work.start, args=(asked, judgement))


def _slow(asked: CarrierSearch, row: MethodRow, judgement: Judgement) -> None:
    count = 2 * len(asked.case.context) + len(context_sentences(asked.case.context)) + 2
    about = f"{row.about.title} took {spell(judgement.seconds)} for this answer. It scores it again about {count:,} times"
    st.html(shell.note(f"{about}; what it has read for one of them is not read again."))
    st.button("Find out", key="carrying_start", on_click=work.start, args=(asked, judgement))


def _live(asked: CarrierSearch, row: MethodRow, judgement: Judgement, sentence: int, waiting: bool) -> None:
    known = work.answer(asked)
    if waiting != (known is None):
        st.rerun()
    if known is None:
        if job := work.running(asked):
            progress(job.share, f"{row.about.title}: {job.words}", "carrying_cancel", work.cancel, asked)
        return
    if isinstance(known, str):
        shell.notice("info", known)
        st.button("Try again", key="carrying_again", on_click=work.start, args=(asked, judgement))
        return
    own = known.sentence
    if own.sentence != sentence:
        # A method that asks a chat model was asked about the answer: its threshold and sentence are those that are shown.
        own = SentenceCarriers(sentence, known.found.full.of(sentence), row.threshold)
    _draw(asked.case, row, known, own)


def _draw(case: Case, row: MethodRow, known: Carried, own: SentenceCarriers) -> None:
    said = words.lead(case, known.found, own)
    st.html("".join(f'<p class="gs-lead gs-measure">{escape(line)}</p>' for line in said))
    if kept := words.kept(case, own):
        st.html(listed(kept))
    st.html(words.bars(case, known.found, own))
    left_out = "Each source, and each sentence of it," if known.found.sentences else "Each source"
    st.html("".join(map(shell.note, [*words.of_all(known.found, row.threshold), f"{left_out} {_ABOUT}"])))
    table = partial(frame, case, known.found, row.threshold)
    download("Download this table as CSV", lambda: frame_csv(table()), "what-carries.csv", "carrying_csv")
