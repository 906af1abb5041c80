"""The chat model of this session: where texts go, the form to choose it, and a check of the connection."""

import os
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from components import shell, state
from components.chat import budgets
from components.controls import action, needs, progress, typed_line
from components.scoring import asking
from components.worker.job import Job
from groundscope.chat import prices
from groundscope.chat.budget import in_words
from groundscope.chat.clients.model import chat_model
from groundscope.chat.messages import Usage
from groundscope.chat.model_spec import ModelSpec, parse
from groundscope.chat.providers import EFFORTS, PROVIDERS
from groundscope.drawing.html import facts as html_facts
from groundscope.errors import DataError
from groundscope.paths import Variable
from groundscope.storage.team import Role, use_case

_EXAMPLES = "<code>provider:model</code>, such as <code>openai:gpt-4o</code> or <code>server:llama3.1:8b@http://localhost:11434/v1</code>."

_POLL = 0.5
_CHECK, _SAID = "model_check", "model"
"""Key of this session's check, and place of the message about a choice or a check."""
_EXAMPLE = "http://localhost:11434/v1"
_TEMPERATURE = (
    "How much replies vary, 0 to 2. The default is 0 on a server of your own, else the provider's. Newer models of "
    "Anthropic and OpenAI do not accept it."
)
_EFFORT = "How hard the model thinks before it replies. More takes longer and costs more. Not every model supports it."
_SEED = "Some models repeat their replies for the same seed; no provider guarantees it. Anthropic does not accept one."


def show() -> None:
    """The current choice, the form, the budget and the prices."""
    shell.section("Chat model")
    st.html(
        "<p class='gs-sub gs-measure'>Some methods ask a chat model. Choose one for this session. Before a case goes to a "
        "model elsewhere, you see where it goes and what it costs, and decide. Keys come from the environment or from "
        "Streamlit's secrets; they are never shown or stored.</p>"
    )
    st.html(_now())
    job: Job | None = st.session_state.get(_CHECK)
    if job is not None and job.future.done():
        answer = job.future.result()
        if answer is None:
            shell.say(_SAID, "info", "Stopped before the model answered.")
        else:
            shell.say(_SAID, *(("good", answer) if isinstance(answer, str) else ("bad", answer.note)))
        del st.session_state[_CHECK]
    shell.show_said(_SAID)
    with st.expander("Choose a model", key="model_form"):
        _form()
    budgets.show()


def _now() -> str:
    spec = asking.chosen()
    if spec is None:
        wrong = f" The model in GROUNDSCOPE_MODEL, {asking.line()[:80]!r}, cannot be read." if asking.line() else ""
        return f"<p>No model is chosen. Choose one to use the methods that ask a chat model.{escape(wrong)}</p>"
    model = chat_model(str(spec))
    near = ", which is this machine" if model.address and not asking.leaves(model) else ""
    where = "nowhere: saved replies are used" if spec.recorded else f"{model.address or 'nowhere'}{near}"
    facts = {
        "Model": f"{spec.model}, {PROVIDERS[spec.provider].title}{' (recorded)' if spec.recorded else ''}",
        "Texts go to": where,
        "Key": _key(spec),
        "Reads and writes": f"{spec.tokens:,} tokens in one call",
        "Asked with": spec.identity.partition(", ")[2],
        "Price": _price(spec),
        "Spent in this session": in_words(asking.spent()),
    }
    if missing := model.unavailable():
        facts["What to do"] = missing
    return html_facts(facts.items())


def _key(spec: ModelSpec) -> str:
    if spec.recorded:
        return "none needed"
    names = PROVIDERS[spec.provider].keys or ((Variable.SERVER_KEY,) if spec.provider == "server" else ())
    present = [name for name in names if os.environ.get(name)]
    if present:
        return f"{present[0]} is set"
    if spec.provider == "server":
        return f"none; if the server needs one, set {Variable.SERVER_KEY} in the environment and restart the app"
    return f"{names[0]} is not set" if names else "the cloud's own credentials"


def _price(spec: ModelSpec) -> str:
    try:
        price = prices.price_of(spec.model)
    except DataError as error:
        return f"unknown: {error}"
    if price is None:
        model = chat_model(str(spec))
        free = model.price(Usage(1)) == 0
        return "free: a server on your own network" if free else "unknown; enter it under Prices"
    return f"${price.input:g} a million tokens read, ${price.output:g} written ({price.date}, {price.source})"


def _form() -> None:
    spec = asking.chosen()
    now = spec or ModelSpec("anthropic", "")
    with st.form("model", border=False):
        with st.container(horizontal=True):
            provider = st.selectbox(
                "Provider",
                list(PROVIDERS),
                index=list(PROVIDERS).index(now.provider),
                format_func=lambda p: PROVIDERS[p].title,
                width=330,
            )
            model = st.text_input("Model", now.model, placeholder=PROVIDERS[now.provider].example, width=300)
            address = st.text_input("Address, for a server of your own", now.address, placeholder=_EXAMPLE, width=300)
        with st.expander("More settings"), st.container(horizontal=True):
            window = st.number_input("Tokens in one call, 0 = usual", 0, 20_000_000, now.window, width=220)
            at_once = st.number_input("Calls at once", 1, 64, now.at_once, width=150)
            a_minute = st.number_input("Calls a minute, 0 = any", 0, 100_000, now.a_minute, width=190)
            seconds = st.number_input("Seconds a call may take", 1, 3_600, now.seconds, width=190)
            temperature = st.number_input(
                "Temperature, empty = usual", 0.0, 2.0, now.temperature, width=210, help=_TEMPERATURE, placeholder="usual"
            )
            effort = st.selectbox(
                "Reasoning effort",
                ("", *EFFORTS),
                ("", *EFFORTS).index(now.effort),
                format_func=lambda e: e or "usual",
                width=160,
                help=_EFFORT,
            )
            seed = st.number_input("Seed, empty = none", 0, 2_147_000_000, now.seed, width=190, help=_SEED, placeholder="none")
            stream = st.toggle("Receive replies piece by piece (where a network cuts silent connections)", now.stream)
        recorded = st.toggle("Use saved replies only; send nothing", now.recorded)
        fields = (provider, model.strip(), address.strip())
        settings: dict[str, Any] = {"window": window, "at_once": at_once, "a_minute": a_minute, "seconds": seconds}
        settings |= {"temperature": temperature, "effort": effort, "seed": seed, "stream": stream}
        with st.container(horizontal=True):
            use = st.form_submit_button("Use this model", type="primary")
            check = st.form_submit_button("Check the connection", **needs(_check))
    if use or check:
        named, address = ":".join(fields[:2]), fields[2]
        line = ("recorded:" if recorded else "") + (f"{named}@{address}" if address else named)
        problem = _slip(*fields) or _submitted(line, settings, check=check)
        if problem:
            shell.say(_SAID, "bad", problem)
        st.rerun()
    if job := st.session_state.get(_CHECK):
        st.fragment(_checking, run_every=_POLL)(job)
    if spec is not None and state.chat_model():
        action("Clear this choice", "model_clear", state.chat_model, "")


def _slip(provider: str, model: str, address: str) -> str:
    """The problem with the fields, in words of the form; `parse` reports the rest."""
    kind = PROVIDERS[provider]
    if not model:
        return f"Enter the model's name, for example {kind.example}."
    if "@http" in model:
        return "Enter the address in its own field, not with the model's name."
    if re.search(r"[\s;|]", model) or not model.isprintable() or len(model) > 200:
        return f"Enter a model name without spaces, semicolons or bars, of at most 200 characters, for example {kind.example}."
    if provider != "server":
        title = PROVIDERS["server"].title
        return f"{kind.title} has its own address: clear that field, or choose “{title}”." if address else ""
    if not address:
        return f"Enter the address of the server, for example {_EXAMPLE}."
    return (
        ""
        if address.startswith(("http://", "https://"))
        else f"Start the address with http:// or https://, for example {_EXAMPLE}."
    )


def _submitted(line: str, settings: Mapping[str, Any], *, check: bool) -> str:
    """Choose the model or start the check; return the problem as a sentence, or empty."""
    usual = ModelSpec("server", "x", "http://x")
    changed = [f"{k}={int(v) if isinstance(v, bool) else v}" for k, v in settings.items() if v != getattr(usual, k)]
    whole = ";".join([line, *changed])
    try:
        spec = parse(whole)
        model = chat_model(str(spec))
    except ValueError as error:
        return str(error)
    missing = model.unavailable()
    if check:
        _check(str(spec))
        return ""
    if missing and spec.address and not spec.recorded:
        # An address that may not receive texts can never be used: the previous choice stays.
        return missing
    state.chat_model(str(spec))
    shell.say(_SAID, "good", f"Methods now ask {spec.model} in this session.")
    return f"{spec.model} is chosen, but not ready yet. {missing}" if missing else ""


@use_case(Role.REVIEWER)
def _check(spec: str) -> None:
    if before := st.session_state.get(_CHECK):
        asking.worker().cancel(before)
    # In a line of its own: it does not wait for the session's scores.
    st.session_state[_CHECK] = asking.worker().check(spec, session=state.session())


def _checking(job: Job) -> None:
    if job.future.done():
        st.rerun()
    words = "Asking the server whether the model is there; no text of a case is sent"
    progress(0.5, words, "cancel_check", asking.worker().cancel, job)


def offered(key: str) -> list[str]:
    """The specs of the models that a form offers, the session's first, with a button to enter another one."""
    typed: dict[str, None] = state.own("typed_chats", {})
    if line := typed_line("Another chat model", key, chat_model, examples=_EXAMPLES):
        typed[line] = None
        state.last_few(typed)
    return [line for line in dict.fromkeys((asking.line(), *typed)) if line]
