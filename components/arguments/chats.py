"""Which chat models a form about arguments offers."""

import streamlit as st

from components import shell
from components.chat import methods
from groundscope.errors import GroundscopeError
from groundscope.methods import registry

NO_CHAT = "Choose a chat model first: here, or on the Methods page."


def chats(key: str) -> list[str]:
    """Chat models to choose from: the session's, and one that the user types."""
    lines = [line] if (line := methods.line()) else []
    with st.popover("Another chat model", key=f"{key}_panel"):
        typed = st.text_input(
            "Another chat model",
            key=key,
            placeholder="provider:model, such as openai:gpt-4o",
            max_chars=300,
            persist_state="session",
        ).strip()
    if typed:
        try:
            registry.chat(typed)
        except (GroundscopeError, ValueError) as error:
            shell.notice("bad", str(error))
        else:
            lines.append(typed)
    return [f"chat:{line}" for line in dict.fromkeys(lines)]
