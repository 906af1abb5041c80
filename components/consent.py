"""Before a case goes to a model elsewhere: what would be sent, where to, what it costs at most; after: what it did cost."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from components import asking, budgets, scoring, state
from components.asking import Offer
from components.board import Row
from evaluation.types import Case
from evaluation.words import money


def ask(case: Case, chosen: Sequence[str]) -> None:
    """What waits for the user's word with the buttons that give it, and where cases go without asking, with one to stop that."""
    _standing()
    for number, offer in enumerate(scoring.waiting_offers(case, chosen)):
        with st.container(border=True, key=f"offer_{number}"):
            st.html(_words(offer))
            with st.container(horizontal=True):
                st.button(
                    "Send this case",
                    key=f"send_{number}",
                    type="primary",
                    on_click=_send,
                    args=(offer.address, case, case, chosen),
                )
                st.button(
                    "Send every case I open in this session",
                    key=f"send_all_{number}",
                    on_click=_send,
                    args=(offer.address, None, case, chosen),
                )
    _failures(case, chosen)


def _send(address: str, agreed: Case | None, case: Case, chosen: Sequence[str]) -> None:
    asking.agree(address, agreed)
    # What was cancelled before is wanted now.
    scoring.again(case, chosen)


def _standing() -> None:
    """Above the case, not below: the next one that is opened is sent at once."""
    for address in sorted({a for a, case in state.agreed() if case is None and a}):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(f"<p class='gs-sub'>Cases that you open are sent to <b>{escape(address)}</b>.</p>", width="content")
            st.button("Ask me again", key=f"take_back_{address}", on_click=asking.take_back, args=(address,))


def _failures(case: Case, chosen: Sequence[str]) -> None:
    """What went wrong with a model may be mended by now; what was answered is kept and not paid for again."""
    scorers = [(name, scoring.loaded(name)) for name in chosen]
    wrong = [name for name, scorer in scorers if scorer is not None and asking.failed(scorer, case)]
    if not wrong:
        return
    titles = {m.id: m.about.title for m in scoring.methods()}
    with st.container(horizontal=True, vertical_alignment="center"):
        listed = escape(_listed([titles[name] for name in wrong]))
        st.html(f"<p class='gs-sub'>Not answered: {listed}. Choose the method to read why.</p>", width="content")
        st.button("Try again", key="try_again", on_click=asking.forget_failures, args=(case,))


def _words(offer: Offer) -> str:
    e = offer.estimate
    calls = f"{'at most ' if e.at_most else ''}{e.calls:,} {'call' if e.calls == 1 else 'calls'}"
    unknown = "at a cost that is not known: state the model's price on the Methods page"
    cost = unknown if e.dollars is None else f"at most {money(e.dollars)}"
    return (
        f"<p class='gs-privacy'><b>Not sent yet.</b> {escape(_listed(offer.methods))} would send this case's question, context "
        f"and answer to <b>{escape(offer.address)}</b>: {calls}, about {e.input:,} tokens, {escape(cost)}. A reply that cannot "
        f"be read is asked for once more. {escape(budgets.left())}</p>"
    )


def _listed(titles: Sequence[str]) -> str:
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def told(rows: Sequence[Row]) -> None:
    """What the shown judgements of models that were asked took."""
    found = [r.judgement for r in rows if r.judgement is not None and asking.asks(scoring.loaded(r.id))]
    asked = [j for j in found if j.calls]
    if asked:
        calls, tokens = sum(j.calls for j in asked), sum(j.tokens for j in asked)
        costs = [j.cost for j in asked]
        cost = "cost not known" if None in costs else money(sum(c for c in costs if c is not None))
        total_calls, total = asking.spent()
        st.html(
            f"<p class='gs-sub gs-cost'>Asked for this case: {calls:,} {'call' if calls == 1 else 'calls'}, {tokens:,} tokens, "
            f"{cost}. This session: {total_calls:,} {'call' if total_calls == 1 else 'calls'}, {money(total)}.</p>"
        )
