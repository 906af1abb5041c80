"""A method made of others that the user fitted, on the Methods page: what it is, its use in the heatmap, and its deletion."""

from collections.abc import Callable
from html import escape
from typing import Literal

import streamlit as st

from components import case_sets, shell, state
from components.controls import needs
from components.methods.opening import offer, withdraw
from components.training import state as keys
from groundscope.errors import DataError
from groundscope.storage.team.roles import Role

Kind = Literal["ensemble", "cascade"]


def card(
    kind: Kind,
    name: str,
    said: str,
    draw: Callable[[], None] | None,
    remove: Callable[[str], None],
    *,
    earned: bool,
    why: str,
) -> None:
    """Draw one."""
    method = f"{kind}:{name}"
    with st.container(border=True, key=f"{kind}_{name}"):
        st.html(f"<h3 class='gs-small'>{escape(name)}</h3>")
        if draw:
            draw()
        with st.container(horizontal=True, vertical_alignment="center"):
            if st.button("Use in the heatmap", key=f"use_{method}", disabled=draw is None):
                state.show_method(method)
                st.switch_page(
                    "pages/heatmap.py", query_params={"case": state.opened() or case_sets.SHOWCASE[0], "method": method}
                )
            offer(method, f"the {kind} {name}", f"open_{method}", said, earned=earned, why=why)
            with st.popover("Delete", key=f"discard_{method}"):
                st.html(shell.note(f"The {kind} is deleted permanently. Results made with it stay."))
                st.button(
                    "Delete it",
                    key=f"discard_yes_{method}",
                    on_click=_delete,
                    args=(kind, name, said, remove),
                    **needs(Role.LEAD),
                )


def _delete(kind: Kind, name: str, said: str, remove: Callable[[str], None]) -> None:
    try:
        remove(name)
    except DataError as error:
        shell.say(said, "bad", str(error))
    else:
        withdraw(f"{kind}:{name}", said)
        keys.forget_method(f"{kind}:{name}")
