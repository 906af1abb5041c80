"""Prompts on a page: the texts of each, a copy under a name of the user's, and what a form offers of them."""

from collections.abc import Callable, Mapping, Sequence
from html import escape
from types import MappingProxyType

import streamlit as st

from components import shell
from components.controls import action, errors_shown, needs, select_one
from groundscope.chat.prompt_files import (
    LONGEST,
    MESSAGE,
    TASKS,
    PromptFile,
    asked_chat,
    delete_prompt,
    part_of,
    prompts,
    save_prompt,
    texts_of,
)
from groundscope.storage.team import Role, use_case

TITLES = MappingProxyType(
    {
        "system": "Role of the model",
        "task": "What it is asked",
        MESSAGE: "The whole message, with {question}, {document} and {answer} where the texts go",
        "truths": "Step 1: the claims of the sources",
        "claims": "Step 2: the claims of the answer",
        "verdicts": "Step 3: the verdicts",
        "extract": "Step 1: the claims of the answer",
        "check": "Step 2: each claim against the sources",
        "contradicted": "What counts as contradicted",
        "correct": "When an answer is correct",
        "grounded": "When an answer is grounded",
        "abstention": "When not to argue",
        "verify_system": "Role of the model in the call before",
        "verify_task": "What it is asked in the call before",
    }
)
"""What the texts of a prompt are, for people."""
Act = Callable[[PromptFile], None]


def offered_prompts(task: str, line: str, title: str) -> dict[str, str]:
    """A chat model asked by each prompt of a task, for a form: titles by `line` of the default, by `chat/NAME:SPEC` of others."""
    spec = asked_chat(line).spec
    return {line: title} | {part_of(spec, p.name): f"{title}, {p.name} prompt" for p in prompts(task)[1:]}


def choose_prompt(task: str, key: str) -> str:
    """The name of the prompt that the user chooses, where there are several of a task; empty = the default."""
    default, *others = (p.name for p in prompts(task))
    return select_one(st, "Prompt", {"": default} | {name: name for name in others}, key, width=160) if others else ""


def panel(*tasks: str) -> None:
    """All prompts of tasks, one of them open, and a form to save an edited copy."""
    uses = "; ".join(TASKS[task].use for task in tasks)
    how = f"Each form offers the prompts of its task by name, and so does the command line: {uses}."
    show("_".join(tasks), tuple(p for task in tasks for p in prompts(task)), how)


def show(
    key: str, offered: Sequence[PromptFile], how: str, used: str = "", use: Act | None = None, drop: Act | None = None
) -> None:
    """Prompts, one of them open, and a form to save an edited copy; `how` says in a sentence how one is chosen.

    A session may have one in use, by its name, and `use` another; `drop` is called before one of the user's is deleted.
    """
    several = len({p.method for p in offered}) > 1
    by_id = {f"{p.method}/{p.name}" if several else p.name: p for p in offered}
    place = f"prompts_{key}"
    # Always there, even if empty: if the panel moved down, the browser would forget that it was open.
    with st.container():
        shell.show_said(place)
    with st.expander("Prompts", key=f"prompts_{key}_panel"):
        chosen = f"prompt_open_{key}"
        if st.session_state.get(chosen) not in by_id:
            st.session_state[chosen] = used if used in by_id else next(iter(by_id))
        titles = {i: f"{TASKS[p.method].title} · {_titled(p, used)}" if several else _titled(p, used) for i, p in by_id.items()}
        name = str(st.selectbox("Prompt to read", list(by_id), key=chosen, format_func=titles.__getitem__))
        opened = by_id[name]
        st.html(f"<p class='gs-sub gs-measure'>{escape(opened.about)}</p>")
        if opened.fixed:
            for part, text in opened.texts:
                st.text_area(TITLES.get(part, part), text, disabled=True, height="content", key=f"prompt_{key}_{name}_{part}")
            return
        _form(key, name, opened, by_id, use)
        st.html(shell.note(f"A saved prompt cannot be changed, so a result always matches the prompt that it names. {how}"))
        with st.container(horizontal=True):
            if use is not None and name != used:
                st.button("Use in this session", key=f"prompt_use_{key}", on_click=_use, args=(key, name, opened, use))
            if opened.own:
                delete = errors_shown(place=place)(_delete)
                action("Delete this prompt", f"prompt_delete_{key}", delete, key, opened, drop)


def _titled(prompt: PromptFile, used: str) -> str:
    title = prompt.name if prompt.own or prompt.title.lower() == prompt.name else f"{prompt.name}: {prompt.title}"
    return f"{title} (in use)" if prompt.name == used else title


def _form(key: str, name: str, opened: PromptFile, by_id: Mapping[str, PromptFile], use: Act | None) -> None:
    with st.form(f"prompt_form_{key}", border=False):
        for part, text in opened.texts:
            st.text_area(TITLES.get(part, part), text, key=f"prompt_{key}_{name}_{part}", height="content", max_chars=LONGEST)
        kinds = ["txt", "md", "toml"] if opened.text(MESSAGE) else ["toml"]
        st.file_uploader("Or from a file", type=kinds, key=f"prompt_file_{key}")
        if not opened.text(MESSAGE):
            st.html(shell.note("The app adds the required format of the reply."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name of the copy", key=f"prompt_name_{key}", max_chars=40, placeholder="strict", width=230)
            save = errors_shown(place=f"prompts_{key}")(_save)
            st.form_submit_button("Save as a copy", on_click=save, args=(key, name, opened, by_id, use), **needs(save))


@use_case(Role.REVIEWER)
def _save(key: str, opened_id: str, opened: PromptFile, by_id: Mapping[str, PromptFile], use: Act | None) -> None:
    name = str(st.session_state.get(f"prompt_name_{key}") or "").strip()
    others = tuple(p for p in by_id.values() if p.method == opened.method)
    texts: Mapping[str, str] = {p: str(st.session_state.get(f"prompt_{key}_{opened_id}_{p}") or "") for p, _ in opened.texts}
    if (file := st.session_state.get(f"prompt_file_{key}")) is not None:
        texts = texts_of(file.name, file.getvalue())
    prompt = save_prompt(opened.method, name, texts, others)
    _use(key, f"{opened_id.removesuffix(opened.name)}{name}", prompt, use)
    in_use = ", and in use in this session" if use else ""
    shell.say(f"prompts_{key}", "good", f"The prompt {name} is saved{in_use}.")


def _use(key: str, prompt_id: str, prompt: PromptFile, use: Act | None) -> None:
    if use is not None:
        use(prompt)
    st.session_state[f"prompt_open_{key}"] = prompt_id


@use_case(Role.LEAD)
def _delete(key: str, opened: PromptFile, drop: Act | None) -> None:
    if drop is not None:
        drop(opened)
    delete_prompt(opened.method, opened.name)
    st.session_state.pop(f"prompt_open_{key}", None)
    shell.say(f"prompts_{key}", "info", f"The prompt {opened.name} is deleted. Its results are kept.")
