"""Chat models that a form offers: the session's, and those that the user typed in it."""

from components import state
from components.chat import methods
from components.controls import typed_line
from groundscope.methods import registry

_EXAMPLES = "<code>provider:model</code>, such as <code>openai:gpt-4o</code> or <code>server:llama3.1:8b@http://localhost:11434/v1</code>."


def offered(key: str) -> list[str]:
    """A button behind which another model is typed; gives the specs of all, the session's first."""
    typed: dict[str, None] = state.own("typed_chats", {})
    if line := typed_line("Another chat model", key, registry.chat, examples=_EXAMPLES):
        typed[line] = None
        state.last_few(typed)
    return [line for line in dict.fromkeys((methods.line(), *typed)) if line]
