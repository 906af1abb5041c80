"""The same method again in one run: under a name of the user's, with other parameters, or swept over several values."""

from dataclasses import replace

import streamlit as st

from components import shell
from components.runs import state
from groundscope.errors import GroundscopeError
from groundscope.grounding.parts import NamedPart, named, swept_values
from groundscope.methods import registry


def more(methods: dict[str, str]) -> None:
    """A panel that adds parts to the choice of methods (titles of those that can run here, by id)."""
    shell.show_said("run_parts")
    with st.expander("Use a method more than once", key="run_parts_panel"):
        st.html(
            "<p class='gs-note gs-measure'>The same method may stand in a run many times: with two chat models, or with other "
            "parameters. Several values, with commas between them, are a sweep: each value becomes a part, and tuning on dev "
            "chooses one of them together with its threshold. 5..40 means every whole number from 5 to 40, which is a good "
            "sweep of QUIP's n. Prompts are no sweep: each stands beside the others.</p>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            method = st.selectbox("Method", list(methods), format_func=lambda m: methods[m], key="run_part_method")
            options = registry.parameters(method) if method else ()
            option = st.selectbox("Parameter", options, key=f"run_part_option_{method}")
            if option == "prompt":
                prompts = [p.name for p in registry.find(method).prompts()]
                st.multiselect("Prompts", prompts, key=f"run_part_prompts_{method}", placeholder="Choose")
            else:
                st.text_input("Value, or values", key="run_part_values", placeholder="9, 15, 21 or 5..40", max_chars=400)
            st.text_input("Name (optional)", key="run_part_name", placeholder="gpt-4o", max_chars=40)
            st.button("Add", key="run_part_add", on_click=_add)
        for part in state.parts().values():
            with st.container(horizontal=True, vertical_alignment="center"):
                st.html(shell.note(f"{part.name}: {', '.join(f'{n} = {v}' for n, v in part.options.items())}"))
                st.button("Remove", key=f"run_part_remove_{part.name}", on_click=_remove, args=(part.name,))


def _add() -> None:
    # What was typed last is in the session when the button is pressed, and not yet in what was drawn.
    method = str(st.session_state.get("run_part_method", ""))
    option = str(st.session_state.get(f"run_part_option_{method}", ""))
    name = str(st.session_state.get("run_part_name", "")).strip()
    try:
        if option == "prompt":
            several = [str(p) for p in st.session_state.get(f"run_part_prompts_{method}", [])]
        else:
            several = swept_values(str(st.session_state.get("run_part_values", "")))
    except ValueError as error:
        shell.say("run_parts", "bad", str(error))
        return
    if not (method and option and several):
        shell.say("run_parts", "bad", "Choose a method, a parameter, and at least one value.")
        return
    try:
        made = _made(method, option, several, name)
        for part_ in made:
            registry.load(part_.method, **part_.options)
    except (GroundscopeError, ValueError) as error:
        shell.say("run_parts", "bad", str(error))
        return
    parts: dict[str, NamedPart] = state.parts()
    parts.update({part_.name: part_ for part_ in made})
    chosen = st.session_state.get("run_methods", [])
    st.session_state["run_methods"] = [*chosen, *(p.name for p in made if p.name not in chosen)]


def _made(method: str, option: str, several: list[str], name: str) -> tuple[NamedPart, ...]:
    """The parts of some values: a sweep of several, but for prompts, which tuning does not choose among."""
    if option == "prompt":
        asked = [f"{method}:{(len(several) == 1 and name) or f'prompt={prompt}'}" for prompt in several]
        found = named(asked, registry.names())
        return tuple(replace(part, options={"prompt": prompt}) for part, prompt in zip(found, several, strict=True))
    if len(several) > 1:
        return named((), registry.names(), (), (f"{method}.{option}={','.join(several)}",))
    part = f"{method}:{name or f'{option}={several[0]}'}"
    return named((part,), registry.names(), (f"{part}.{option}={several[0]}",))


def _remove(name: str) -> None:
    state.parts().pop(name, None)
    st.session_state["run_methods"] = [m for m in st.session_state.get("run_methods", []) if m != name]
