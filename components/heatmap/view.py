"""The heatmap of one case: consent and cost, the browser component, its progress and downloads; and the overview's sample."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from components import case_sets, shell, state
from components.chat import budgets
from components.controls import action, download, progress
from components.heatmap import editing, evidence
from components.opened import record
from components.scoring import app_worker, asking, judging, rules_in_use
from components.scoring.asking import SendingOffer
from components.scoring.session import LoadedMethod, this_session
from components.shell import component
from components.worker.reading import read_once
from groundscope.chat.budget import in_words
from groundscope.chat.messages import most_in_words
from groundscope.drawing import report
from groundscope.drawing.board import MethodRow, board, prepared
from groundscope.drawing.record import flag_words
from groundscope.findings.listing import MethodReading
from groundscope.grounding.export import to_csv, to_json
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import joined, money, plural
from groundscope.types import Case


def _consent(case: Case, methods: Sequence[LoadedMethod]) -> None:
    """The offers that need consent, and the hosts that get cases without asking, each with its buttons."""
    _standing()
    for number, offer in enumerate(judging.waiting_offers(case, methods)):
        with st.container(border=True, key=f"offer_{number}"):
            st.html(_offer_words(offer))
            with st.container(horizontal=True):
                action("Send this case", f"send_{number}", _send, offer.address, case, case, methods, type="primary")
                if not case_sets.edited(case):
                    label = "Send every case I open in this session"
                    action(label, f"send_all_{number}", _send, offer.address, None, case, methods)
    _failures(case, methods)


@use_case(Role.REVIEWER)
def _send(address: str, agreed: Case | None, case: Case, methods: Sequence[LoadedMethod]) -> None:
    asking.agree(address, agreed)
    # The user now wants what was cancelled before.
    judging.again(case, methods)


def _standing() -> None:
    """Shown above the case: the next case is sent as soon as it opens."""
    for address in sorted({a for a, case in state.agreed() if case is None and a}):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(f"<p class='gs-sub'>Cases that you open go to <b>{escape(address)}</b>.</p>", width="content")
            st.button("Ask before each case", key=f"take_back_{address}", on_click=asking.take_back, args=(address,))


def _failures(case: Case, methods: Sequence[LoadedMethod]) -> None:
    """Methods that failed, with a button to retry; answers that came are saved and not paid for again."""
    wrong = [m.about.title for m in methods if asking.failed(m.method, case)]
    if not wrong:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(f"<p class='gs-sub'>No answer: {escape(joined(wrong))}. Choose the method to read why.</p>", width="content")
        st.button("Retry", key="try_again", on_click=asking.forget_failures, args=(case,))


def _offer_words(offer: SendingOffer) -> str:
    """What an offer sends where, and what it costs at most."""
    send = "sends" if len(offer.methods) == 1 else "send"
    return (
        f"<p class='gs-privacy'><b>Not sent yet.</b> {escape(joined(offer.methods))} {send} this case's question, sources "
        f"and answer to <b>{escape(offer.address)}</b>: {escape(most_in_words(offer.estimate))}. If a reply cannot "
        f"be read, the model is asked once more. {escape(budgets.left())}</p>"
    )


def _cost(rows: Sequence[MethodRow]) -> None:
    """The calls, tokens and cost of the judgements shown."""
    asked = [r.judgement for r in rows if r.judgement is not None and r.judgement.calls]
    if asked:
        calls, tokens = sum(j.calls for j in asked), sum(j.tokens for j in asked)
        costs = [j.cost for j in asked]
        cost = "cost not known" if None in costs else money(sum(c for c in costs if c is not None))
        st.html(
            f"<p class='gs-sub gs-cost'>For this case: {plural(calls, 'call')}, {tokens:,} tokens, "
            f"{cost}. This session: {in_words(asking.spent())}.</p>"
        )


_DECIDE = "heatmap_decide"
"""Where the reader wants to decide: a run that begins again before it draws loses what the browser sent."""

_SCRIPTS = ("text", "gold", "sources", "citations", "tables", "why", "verdict", "keys", "editing", "heatmap")
_mount = component("heatmap", root="groundscope", css=("heatmap",), scripts=_SCRIPTS)


def show(case: Case, chosen: Sequence[LoadedMethod], *, small: bool = False) -> None:
    """Draw a case under the chosen methods; while some still run, poll until they are done. A small one is all of it."""
    if read_once(case, lambda: prepared(case)) is None:
        return
    state.see(case)
    # What the checks find is drawn at once, whatever the methods take.
    rows = judging.rows(case, chosen)
    if not small:
        _consent(case, chosen)
    running = any(judging.running(case, chosen))
    waiting = running or any(editing.waiting(case, chosen)) or _records(rows) is None
    carries = not small and evidence.waits(case, rows)
    st.fragment(_live, run_every=app_worker.interval() if waiting else None)(case, tuple(chosen), waiting, carries, small=small)
    if small:
        return
    if not running:
        _cost(judging.rows(case, chosen))
    evidence.show(case, rows)
    _downloads(case, rows, complete=not running)


def _records(rows: Sequence[MethodRow]) -> dict[str, dict[str, Any]] | None:
    return record.drawn(_signatures(rows))


def _signatures(rows: Sequence[MethodRow]) -> dict[str, str]:
    return {row.id: row.signature for row in rows}


def _decide() -> None:
    st.session_state[_DECIDE] = st.session_state["heatmap"].get("decide")


def _live(case: Case, drawn: tuple[LoadedMethod, ...], waiting: bool, carries: bool, *, small: bool) -> None:
    chosen = this_session().of(m.id for m in drawn)
    if len(chosen) < len(drawn):
        st.rerun()
    if decide := st.session_state.pop(_DECIDE, None):
        state.open_review(case, int(decide["sentence"]), str(decide["method"]))
    rows = judging.rows(case, chosen)
    running = judging.running(case, chosen)
    records = _records(rows)
    # Also if a click in here started something: polling is set up outside.
    if waiting != (bool(running) or bool(editing.waiting(case, chosen)) or records is None):
        st.rerun()
    if carries and not evidence.waits(case, rows):
        st.rerun()
    editing.show_moves(case, rows, chosen)
    parameters = st.query_params
    sentence, edited = parameters.get("sentence", ""), editing.focus(case)
    linked = int(sentence) - 1 if sentence.isdecimal() and len(sentence) < 7 else -1
    data = board(
        case,
        rows,
        records or {},
        record.promised(_signatures(rows)),
        rules=rules_in_use.times(),
        method=parameters.get("method", ""),
        sentence=linked if edited < 0 else edited,
        show_gold=state.gold(),
        small=small,
        follows=not small and evidence.is_open(),
    )
    changes = {f"on_{name}_change": lambda: None for name in ("thresholds", "gold", "chosen", "edit")}
    answer = _mount(key="heatmap", data=data, on_decide_change=_decide, **changes)
    # Below the texts, which stay where they are when methods end.
    _progress(case, chosen, rows, running)
    if answer.get("edit") and editing.take(case, answer["edit"], chosen):
        st.rerun()
    evidence.chosen(case, data["caseKey"], answer.get("chosen"))
    if answer.get("gold") not in (None, state.gold()):
        # The chooser above names labels, too.
        state.gold(bool(answer["gold"]))
        st.rerun()
    moved = answer.get("thresholds") or {}
    before = dict(state.thresholds())
    # What the browser moved before other rules were chosen no longer counts.
    ids = {m.id for m in chosen}
    for name, value in moved.get("by", {}).items() if moved.get("rules") == rules_in_use.times() else ():
        if name in ids and isinstance(value, int | float):
            state.thresholds()[name] = min(1.0, max(0.0, float(value)))
    if state.thresholds() != before:
        # The findings that are drawn are those at the threshold before.
        st.rerun(scope="fragment" if waiting else "app")


def _progress(case: Case, chosen: Sequence[LoadedMethod], rows: Sequence[MethodRow], running: Sequence[LoadedMethod]) -> None:
    stopped = [r.id for r in rows if r.state == "Cancelled"]
    if all(app_worker.cold(m.part.loads) for m in running):
        # Their rows say so; nothing else holds a reader up.
        running = ()
    if running:
        words = "Comparing with the sources"
        progress(judging.share_done(case, chosen), words, "cancel", judging.cancel, case, chosen)
    elif stopped:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.text("Cancelled. Finished methods are shown.")
            st.button("Score again", key="again", on_click=judging.again, args=(case, chosen))


def _make(
    make: Callable[[Case, Sequence[MethodReading]], str],
    case: Case,
    results: Sequence[MethodReading],
    thresholds: Mapping[str, float],
    set_promises: Mapping[str, state.SetPromise],
    records: Mapping[str, Mapping[str, Any]],
) -> str:
    promises = record.promised({r.method: r.signature for r in results}, set_promises)
    readings = [replace(r, threshold=thresholds.get(r.method, r.threshold)) for r in results]
    return make(case, [_with_words(r, records.get(r.method), promises.get(r.method)) for r in readings])


def _with_words(reading: MethodReading, figures: Mapping[str, Any] | None, promise: Mapping[str, Any] | None) -> MethodReading:
    """With how often the method was right, and what its threshold promises."""
    at = reading.threshold
    words = " ".join(filter(None, (flag_words(figures, at), record.promise_words(promise, at))))
    return replace(reading, record=words, promise=record.promise_phrase(promise, at))


def _downloads(case: Case, rows: Sequence[MethodRow], *, complete: bool) -> None:
    results = judging.readings(rows)
    if not results:
        return
    name = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in case.id)[:60] or "case"
    with st.container(horizontal=True, vertical_alignment="center"):
        st.text("Download this result" if complete else "Download the results so far")
        for label, ending, make in (("JSON", "json", to_json), ("CSV", "csv", to_csv), ("Web page", "html", report.page)):
            # Read the thresholds when the file is made: the slider may have moved since. There is no session to ask then.
            data = partial(_make, make, case, results, state.thresholds(), state.promises(), _records(rows) or {})
            download(label, data, f"groundscope-{name}.{ending}", f"download_{ending}")


def introduction() -> None:
    """One sentence about the tool."""
    shell.heading("Where does this answer stand on its sources?")
    st.html(
        '<p class="gs-lead">Groundscope compares an AI answer with its sources, sentence by sentence: what is not in '
        "them, what each method doubts, and how often that method is right. Nothing leaves this machine unless a button says "
        "so.</p>"
    )


def example() -> None:
    """A sample as the heatmap shows it, scored now by the methods that come with the app: nothing is sent."""
    sample = case_sets.find(case_sets.SHOWCASE[0])
    unasked = [m for m in this_session().ready if not (m.method.on_request or m.method.asks)]
    local = [m for m in unasked if all(r.bundled for r in m.method.requirements())]
    if sample is None or not local:
        return
    shell.section(sample[1].query)
    show(sample[1], local, small=True)
