"""Consent before a case goes to a model elsewhere (what, where to, highest cost), and the cost afterwards."""

from collections.abc import Sequence
from html import escape

import streamlit as st

from components import case_sets, state
from components.chat import budgets
from components.controls import action
from components.scoring import asking, judging
from components.scoring.asking import SendingOffer
from components.scoring.methods import LoadedMethod
from groundscope.chat.budget import in_words
from groundscope.chat.messages import most_in_words
from groundscope.drawing.board import MethodRow
from groundscope.storage.team import Role, use_case
from groundscope.text.humanize import joined, money, plural
from groundscope.types import Case


def ask(case: Case, methods: Sequence[LoadedMethod]) -> None:
    """The offers that need consent, and the hosts that get cases without asking, each with its buttons."""
    _standing()
    for number, offer in enumerate(judging.waiting_offers(case, methods)):
        with st.container(border=True, key=f"offer_{number}"):
            st.html(words(offer))
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


def words(offer: SendingOffer) -> str:
    """What an offer sends where, and what it costs at most."""
    send = "sends" if len(offer.methods) == 1 else "send"
    return (
        f"<p class='gs-privacy'><b>Not sent yet.</b> {escape(joined(offer.methods))} {send} this case's question, sources "
        f"and answer to <b>{escape(offer.address)}</b>: {escape(most_in_words(offer.estimate))}. If a reply cannot "
        f"be read, the model is asked once more. {escape(budgets.left())}</p>"
    )


def show_cost(rows: Sequence[MethodRow]) -> None:
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
