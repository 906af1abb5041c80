"""The chat model of this session: what it is and where texts go, the form to choose it, and a check of the connection."""

import os
import re
from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

import scorers
from components import asking, budgets, shell, state, weights
from components.worker import Worker
from evaluation import prices
from evaluation.chat import Usage
from evaluation.chat_spec import PROVIDERS, SERVER_KEY, Spec, parse
from evaluation.errors import DataError
from evaluation.words import money

_CHECKER = "direct"
"""The method whose process asks the server; any that asks a model would do."""
_POLL = 0.5
_TASK, _SAID = "model_check", "model_said"
"""Where this session's check is kept, and what became of a choice or a check until it is shown."""
_EXAMPLE = "http://localhost:11434/v1"


def show() -> None:
    """What is chosen now, the form, the budget and the prices."""
    shell.section("Chat model")
    st.html(
        "<p class='gs-sub gs-measure'>Some methods ask a chat model. Choose it here, for this session. Before a case goes to a "
        "model elsewhere you are told where to and what it costs, and asked. Keys come from the environment or from "
        "Streamlit's secrets; they are never shown or stored.</p>"
    )
    st.html(_now())
    _outcome()
    with st.expander("Choose a model", key="model_form"):
        _form()
    budgets.show()


def _now() -> str:
    spec = asking.chosen()
    if spec is None:
        wrong = f" What the environment names, {asking.line()[:80]!r}, cannot be read." if asking.line() else ""
        return f"<p>No model is chosen: the methods that ask one are not ready.{escape(wrong)}</p>"
    model: Any = scorers.chat(str(spec))
    calls, dollars = asking.spent()
    where = "nowhere: kept replies are replayed" if spec.recorded else f"{model.address or 'nowhere'}{_near(model.address)}"
    facts = {
        "Model": f"{spec.model}, {PROVIDERS[spec.provider].title}{' (recorded)' if spec.recorded else ''}",
        "Texts go to": where,
        "Key": _key(spec),
        "Reads and writes": f"{spec.tokens:,} tokens in one call",
        "Price": _price(spec),
        "Spent in this session": f"{calls:,} {'call' if calls == 1 else 'calls'}, {money(dollars)}",
    }
    if missing := model.unavailable():
        facts["What to do"] = missing
    return _list(facts)


def _list(facts: Mapping[str, str]) -> str:
    return "<dl class='gs-facts'>" + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items()) + "</dl>"


def _near(address: str) -> str:
    return ", which is this machine" if address in ("localhost", "127.0.0.1", "::1") else ""


def _key(spec: Spec) -> str:
    if spec.recorded:
        return "none needed"
    names = PROVIDERS[spec.provider].keys or ((SERVER_KEY,) if spec.provider == "server" else ())
    found = [name for name in names if os.environ.get(name)]
    if found:
        return f"{found[0]} is set"
    if spec.provider == "server":
        return f"none; where the server wants one, set {SERVER_KEY} in the environment and start the app again"
    return f"{names[0]} is not set" if names else "the cloud's own credentials"


def _price(spec: Spec) -> str:
    try:
        found = prices.price_of(spec.model)
    except DataError as error:
        return f"not known: {error}"
    if found is None:
        model: Any = scorers.chat(str(spec))
        free = model.price(Usage(1)) == 0
        return "nothing: a server of your own network" if free else "not known; state it under Prices"
    return f"${found.input:g} a million tokens read, ${found.output:g} written ({found.date}, {found.source})"


def _form() -> None:
    spec = asking.chosen()
    now = spec or Spec("anthropic", "")
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
            temperature = st.number_input("Temperature, own servers", 0.0, 2.0, now.temperature, width=190)
            stream = st.toggle("Receive replies piece by piece (where a network cuts silent connections)", now.stream)
        recorded = st.toggle("Replay kept replies only: ask nobody", now.recorded)
        fields = (provider, model.strip(), address.strip())
        settings: dict[str, Any] = {"window": window, "at_once": at_once, "a_minute": a_minute, "seconds": seconds}
        settings |= {"temperature": temperature, "stream": stream}
        with st.container(horizontal=True):
            use = st.form_submit_button("Use this model", type="primary")
            check = st.form_submit_button("Check the connection")
    if use or check:
        problem = _slip(*fields) or _submitted(_line(*fields, recorded=recorded), settings, check=check)
        if problem:
            st.session_state[_SAID] = ("bad", problem)
        st.rerun()
    if task := st.session_state.get(_TASK):
        st.fragment(_checking, run_every=_POLL)(task)
    if spec is not None and state.chat_model():
        st.button("Forget this choice", on_click=_forget)


def _forget() -> None:
    state.chat_model("")


def _slip(provider: str, model: str, address: str) -> str:
    """What is wrong with the fields, in words of the form; what else can be wrong `parse` says."""
    kind = PROVIDERS[provider]
    if not model:
        return f"Write the model's name, like {kind.example}."
    if "@http" in model:
        return "Write the address in its own field; the model's name stands alone."
    if re.search(r"[\s;|]", model) or not model.isprintable() or len(model) > 200:
        return f"A model's name has no spaces, semicolons or bars, and at most 200 characters, like {kind.example}."
    if provider != "server":
        title = PROVIDERS["server"].title
        return f"{kind.title} has its own address: empty that field, or choose “{title}”." if address else ""
    if not address:
        return f"Write the address of the server, like {_EXAMPLE}."
    return (
        ""
        if address.startswith(("http://", "https://"))
        else f"The address must begin with http:// or https://, like {_EXAMPLE}."
    )


def _line(provider: str, model: str, address: str, *, recorded: bool) -> str:
    return f"{'recorded:' if recorded else ''}{provider}:{model}{f'@{address}' if address else ''}"


def _submitted(line: str, settings: Mapping[str, Any], *, check: bool) -> str:
    """Choose the model or begin to check it; what is wrong, as a sentence."""
    usual = Spec("server", "x", "http://x")
    changed = [f"{k}={int(v) if isinstance(v, bool) else v}" for k, v in settings.items() if v != getattr(usual, k)]
    whole = ";".join([line, *changed])
    try:
        spec = parse(whole)
        model: Any = scorers.chat(str(spec))
    except ValueError as error:
        return str(error)
    missing: str = model.unavailable()
    if check:
        _cancel()
        st.session_state[_TASK] = _begin(str(spec))
        return ""
    if missing and spec.address and not spec.recorded:
        # An address that texts may not go to can never be used: what was chosen before stays.
        return missing
    state.chat_model(str(spec))
    st.session_state[_SAID] = ("good", f"{spec.model} is what methods ask now, in this session.")
    return f"{spec.model} is chosen, but cannot be asked yet. {missing}" if missing else ""


def _begin(line: str) -> weights.Task:
    """A check in a process of this session's own: another session's is of another model."""
    worker = Worker()
    job = worker.call("check", _CHECKER, line)
    job.future.add_done_callback(lambda _: worker.end())
    return weights.Task("check", "", worker, job)


def _cancel() -> None:
    """Stop the check at once, also while the server does not answer."""
    task: weights.Task | None = st.session_state.get(_TASK)
    if task is not None and task.outcome is None:
        task.cancelled = True
        task.worker.end()


def _checking(task: weights.Task) -> None:
    if task.outcome is not None:
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(0.5, text=task.words)
        st.button("Cancel", key="cancel_check", on_click=_cancel)


def _outcome() -> None:
    task: weights.Task | None = st.session_state.get(_TASK)
    if task is not None and task.outcome is not None:
        done, problem = task.outcome
        st.session_state[_SAID] = ("info" if task.cancelled else "bad", problem) if problem else ("good", done)
        del st.session_state[_TASK]
    if found := st.session_state.pop(_SAID, None):
        shell.notice(*found)
