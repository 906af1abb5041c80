"""Models that the user adds to a method that takes any: an entailment model by its id or its folder."""

import streamlit as st

from components import shell
from components.controls import needs
from components.methods import listing
from groundscope.errors import ScorerUnavailable
from groundscope.methods import registry
from groundscope.storage.team.roles import Role

_METHOD = "nli"
_LINE, _NAME, _SAID = "add_model_line", "add_model_name", "add_model"


def show() -> None:
    """The form for another entailment model."""
    # Always there, even if empty: if the form moved down, the browser would forget that it was open.
    with st.container():
        shell.show_said(_SAID)
    with st.expander("Add an entailment model", key="add_entailment_model"):
        st.html(
            "<p class='gs-sub'>Any classifier of text pairs with a label for entailment, from the hub or from a folder on this "
            "machine, in any language. It becomes a method of its own. Weights from the hub are downloaded when you ask for them "
            "on its card. Weights in safetensors are needed: a pickle can run code.</p>"
        )
        with st.form("add_model", border=False):
            st.text_input(
                "Hub id, or folder", key=_LINE, placeholder="organisation/model@commit", persist_state="session", max_chars=1_000
            )
            st.text_input("Name (optional)", key=_NAME, placeholder="the last part of the id", max_chars=40)
            st.form_submit_button("Add", on_click=_add, **needs(Role.LEAD))


def removal(method: str) -> None:
    """A button that takes an added model off the list."""
    if registry.is_added(method):
        allowed = {"help": "Its files stay."} | {k: v for k, v in needs(Role.LEAD).items() if v}
        st.button("Remove from the list", key=f"remove_{method}", on_click=_remove, args=(method,), **allowed)


def _add() -> None:
    line, name = (str(st.session_state.get(key) or "").strip() for key in (_LINE, _NAME))
    if not line:
        shell.say(_SAID, "bad", "Enter a hub id, such as cross-encoder/nli-deberta-v3-base, or a folder.")
        return
    try:
        method = registry.add_model(_METHOD, line, name)
    except (ValueError, ScorerUnavailable) as error:
        sentence = str(error).replace("checkpoint must be", "enter", 1)
        shell.say(_SAID, "bad", f"{sentence[:1].upper()}{sentence[1:].rstrip('.')}.")
        return
    st.session_state[_LINE] = st.session_state[_NAME] = ""
    listing.open_method(method)
    shell.say(_SAID, "good", f"{method} is added. Its card is open.")


def _remove(method: str) -> None:
    try:
        registry.remove_model(method)
    except (ValueError, ScorerUnavailable) as error:
        shell.say(_SAID, "bad", str(error))
        return
    listing.open_method("")
    shell.say(_SAID, "info", f"{method} is removed from the list. Its files stay.")
