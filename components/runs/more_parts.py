"""The same method again in one run: under a name of the user's, with other parameters, or swept over several values."""

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
            "sweep of QUIP's n.</p>"
        )
        with st.container(horizontal=True, vertical_alignment="bottom"):
            method = st.selectbox("Method", list(methods), format_func=lambda m: methods[m], key="run_part_method")
            options = registry.parameters(method) if method else ()
            st.selectbox("Parameter", options, key=f"run_part_option_{method}")
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
    name = str(st.session_state.get("run_part_name", ""))
    try:
        several = swept_values(str(st.session_state.get("run_part_values", "")))
    except ValueError as error:
        shell.say("run_parts", "bad", str(error))
        return
    if not (method and option and several):
        shell.say("run_parts", "bad", "Choose a method and a parameter, and type at least one value.")
        return
    try:
        if len(several) > 1:
            made = named((), registry.names(), (), (f"{method}.{option}={','.join(several)}",))
        else:
            part = f"{method}:{name.strip() or f'{option}={several[0]}'}"
            made = named((part,), registry.names(), (f"{part}.{option}={several[0]}",))
        for part_ in made:
            registry.load(part_.method, **part_.options)
    except (GroundscopeError, ValueError) as error:
        shell.say("run_parts", "bad", str(error))
        return
    parts: dict[str, NamedPart] = state.parts()
    parts.update({part_.name: part_ for part_ in made})
    chosen = st.session_state.get("run_methods", [])
    st.session_state["run_methods"] = [*chosen, *(p.name for p in made if p.name not in chosen)]


def _remove(name: str) -> None:
    state.parts().pop(name, None)
    st.session_state["run_methods"] = [m for m in st.session_state.get("run_methods", []) if m != name]
