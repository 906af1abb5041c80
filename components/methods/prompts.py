"""A method's prompts: the texts of each, a copy under a name of the user's, and which one this session asks with."""

from collections.abc import Mapping
from html import escape

import streamlit as st

from components import shell, state
from components.controls import errors_shown, needs
from components.methods import options
from groundscope.chat.prompt_files import LONGEST, MESSAGE, STANDARD, PromptFile, delete_prompt, save_prompt, texts_of
from groundscope.methods import Method, registry
from groundscope.storage.team.roles import Role

TITLES = {
    "system": "Role of the model",
    "task": "What it is asked",
    MESSAGE: "The whole message, with {question}, {document} and {answer} where the texts go",
    "truths": "Step 1: the claims of the sources",
    "claims": "Step 2: the claims of the answer",
    "verdicts": "Step 3: the verdicts",
    "extract": "Step 1: the claims of the answer",
    "check": "Step 2: each claim against the sources",
    "contradicted": "What counts as contradicted",
}
"""What the texts of a prompt are, for people."""


def show(method: str, scorer: Method) -> None:
    """All prompts of a method, one of them open, and a form to save an edited copy."""
    prompts = {p.name: p for p in scorer.prompts()}
    if not prompts:
        return
    place = f"prompts_{method}"
    # Always there, even if empty: if the panel moved down, the browser would forget that it was open.
    with st.container():
        shell.show_said(place)
    with st.expander("Prompts", key=f"prompts_{method}_panel"):
        used = str(scorer.parameters.get("prompt", ""))
        key = f"prompt_open_{method}"
        if st.session_state.get(key) not in prompts:
            st.session_state[key] = used if used in prompts else next(iter(prompts))
        name = st.selectbox("Prompt to read", list(prompts), key=key, format_func=lambda n: _titled(prompts[n], used))
        opened = prompts[name]
        st.html(f"<p class='gs-sub gs-measure'>{escape(opened.about)}</p>")
        if opened.fixed:
            for part, text in opened.texts:
                st.text_area(TITLES.get(part, part), text, disabled=True, height="content", key=f"prompt_{method}_{name}_{part}")
            return
        _form(method, opened, tuple(prompts.values()))
        with st.container(horizontal=True):
            if name != used:
                st.button("Use in this session", key=f"prompt_use_{method}", on_click=_use, args=(method, name))
            if opened.own:
                st.button(
                    "Delete this prompt",
                    key=f"prompt_delete_{method}",
                    on_click=_delete,
                    args=(method, opened),
                    **needs(Role.LEAD),
                )


def _titled(prompt: PromptFile, used: str) -> str:
    title = prompt.name if prompt.own or prompt.title.lower() == prompt.name else f"{prompt.name}: {prompt.title}"
    return f"{title} (in use)" if prompt.name == used else title


def _form(method: str, opened: PromptFile, others: tuple[PromptFile, ...]) -> None:
    with st.form(f"prompt_form_{method}", border=False):
        for part, text in opened.texts:
            st.text_area(
                TITLES.get(part, part), text, key=f"prompt_{method}_{opened.name}_{part}", height="content", max_chars=LONGEST
            )
        kinds = ["txt", "md", "toml"] if opened.text(MESSAGE) else ["toml"]
        st.file_uploader("Or from a file", type=kinds, key=f"prompt_file_{method}")
        if not opened.text(MESSAGE):
            st.html(shell.note("The app adds the required format of the reply after each text."))
        with st.container(horizontal=True, vertical_alignment="bottom"):
            st.text_input("Name of the copy", key=f"prompt_name_{method}", max_chars=40, placeholder="strict", width=230)
            st.form_submit_button("Save as a copy", on_click=_save, args=(method, opened, others), **needs(Role.REVIEWER))
    st.html(
        shell.note(
            "A saved prompt cannot be changed, so a result always matches the prompt that it names. To compare "
            f"prompts, make each a part of one run: {method}:prompt={opened.name}."
        )
    )


def _save(method: str, opened: PromptFile, others: tuple[PromptFile, ...]) -> None:
    name = str(st.session_state.get(f"prompt_name_{method}") or "").strip()
    with errors_shown(place=f"prompts_{method}"):
        prompt = save_prompt(opened.method, name, _texts(method, opened), others)
        _use(method, prompt.name)
        shell.say(f"prompts_{method}", "good", f"The prompt {name} is saved, and in use in this session.")


def _texts(method: str, opened: PromptFile) -> Mapping[str, str]:
    if (file := st.session_state.get(f"prompt_file_{method}")) is not None:
        return texts_of(file.name, file.getvalue())
    return {part: str(st.session_state.get(f"prompt_{method}_{opened.name}_{part}") or "") for part, _ in opened.texts}


def _use(method: str, name: str) -> None:
    options.choose(method, "prompt", name)
    st.session_state[f"prompt_open_{method}"] = name


def _delete(method: str, opened: PromptFile) -> None:
    name = opened.name
    # A method that asks another one several times asks with the other's prompts.
    asking = [
        m
        for m, chosen in state.options().items()
        if chosen.get("prompt") == name and opened in registry.find(m, **chosen).prompts()
    ]
    with errors_shown(place=f"prompts_{method}"):
        delete_prompt(opened.method, name)
        for asking_method in asking:
            options.choose(asking_method, "prompt", STANDARD)
        st.session_state.pop(f"prompt_open_{method}", None)
        shell.say(f"prompts_{method}", "info", f"The prompt {name} is deleted. Its results are kept.")
