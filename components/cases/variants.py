"""Make ungrounded variants of one answer: choose the edits, compare before and after, save or remove."""

from functools import partial
from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.chat import prompts
from components.controls import download, errors_shown, several_of
from components.experiments.panel import TaskPanel
from components.scoring import asking
from groundscope.cases.dataset import to_jsonl
from groundscope.cases.edits.by_model import TASK
from groundscope.cases.edits.variants import MOST, OPERATORS, Adapted, Variant, adapt, model_prompt
from groundscope.cases.edits.whole_set import WRITING, begin_one, digest, one_written_in
from groundscope.cases.error_types import TITLES
from groundscope.chat.clients.model import chat_model
from groundscope.chat.prompt_files import part_of
from groundscope.drawing.html import Html, listed, marked, side_by_side, tag
from groundscope.experiments.forecast import of_each
from groundscope.experiments.store import JobFile
from groundscope.text.sentences import split
from groundscope.types import Case

_SAID = "case_variants"


def panel(case: Case) -> None:
    """The form and the variants of this case."""
    with st.expander("Make ungrounded variants of this answer", expanded=_made_of(case) is not None):
        st.html(
            '<p class="gs-sub">Each rule changes one place: a deadline, a court, a qualifier, a term. Check yourself that the '
            "change is wrong in law.</p>"
        )
        with st.form("variants", border=False), st.container(horizontal=True, vertical_alignment="bottom"):
            titles = {o.name: o.title for o in OPERATORS}
            names = several_of(st, "Edits", titles, "variant_names", placeholder="All edits")
            seed = st.number_input(
                "Seed",
                0,
                9999,
                0,
                key="variant_seed",
                width=140,
                help="Another seed changes other places; the same seed repeats the result.",
            )
            pressed = st.form_submit_button("Make variants", type="primary")
        if pressed:
            with errors_shown():
                st.session_state["adapted"] = (case, adapt(case, seed=int(seed), names=names))
        _by_model(case)
        shell.show_said(_SAID)
        if (adapted := _made_of(case)) is not None:
            _results(case, adapted)


def _made_of(case: Case) -> Adapted | None:
    last = state.adapted()
    return last[1] if last and last[0] == case else None


def _results(case: Case, adapted: Adapted) -> None:
    if case.grounded is None:
        shell.notice(
            "info", "This answer has no label and is assumed to be grounded. If it is not, the variants are not reliable."
        )
    if adapted.variants:
        with st.container(horizontal=True, vertical_alignment="center"):
            count = len(adapted.variants)
            st.text(f"{count} variant{'s' if count != 1 else ''}, each labelled ungrounded with its span, type and reason")
            st.button("Save as a set", key="keep_variants", on_click=_keep, args=(case, adapted))
            cases = [case, *(v.case for v in adapted.variants)]
            download("Download JSONL", lambda: to_jsonl(cases), "variants.jsonl", "download_variants")
    shell.show_said("variants_kept")
    for variant in adapted.variants:
        _variant(case, variant)
    if adapted.skipped:
        lines = (Html(f"{tag('b', operator.title)}: {escape(reason)}") for operator, reason in adapted.skipped)
        st.html(tag("p", "Left out:", class_="gs-sub") + listed(lines, "gs-errors gs-sub"))


def _keep(case: Case, adapted: Adapted) -> None:
    saved = case_sets.add_variants(case, [v.case for v in adapted.variants])
    words = f"Saved: the set “{saved.name}” has {len(saved.cases)} cases. Choose it above to browse it."
    shell.say("variants_kept", "good", words)


def _variant(case: Case, variant: Variant) -> None:
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.html(f"<b>{escape(variant.operator.title)}</b> · {TITLES[variant.case.errors[0].type].lower()}", width="content")
            if st.button("Open in the heatmap", key=f"open_{variant.case.id}"):
                case_sets.add_variants(case, [variant.case])
                place = next(n for n, s in enumerate(split(variant.case.response), 1) if s.end > variant.case.errors[0].start)
                state.open_heatmap(case_sets.VARIANTS, variant.case, sentence=str(place))
        st.html(before_and_after(case, variant))


def before_and_after(case: Case, variant: Variant) -> str:
    """The changed sentence before and after, and why it is wrong."""
    error = variant.case.errors[0]
    old = _sentence(case.response, variant.parent_start, variant.parent_start + len(variant.before), "del")
    new = _sentence(variant.case.response, error.start, error.end, "ins")
    return side_by_side({"Before": old, "After": new}, error.why)


def _sentence(text: str, start: int, end: int, mark: str) -> Html:
    """The sentence around a span, the span in an element."""
    around = next((s for s in split(text) if s.start <= start < s.end), None)
    first, last = (around.start, max(around.end, end)) if around else (start, end)
    return marked(text[first:last], start - first, end - first, mark)


def _by_model(case: Case) -> None:
    """The offer and the progress, or why neither is possible; variants appear with those made by rules."""
    holds, key = "Its versions and its copy of the answer", digest(case)
    panel = TaskPanel(
        WRITING.kind, holds, of=lambda job: bool(job.plan.options.get("case") == key), take=partial(_take, case),
        taking="Show the variants",
    )  # fmt: skip
    spec = asking.chosen()
    model = chat_model(str(spec)) if spec else None
    missing = model.unavailable() if model else "Choose a chat model first."
    if model is None or missing:
        shell.notice(
            "info", f"A chat model can also write variants, as in the paper. {missing} See “Chat model” on the Methods page."
        )
        panel.show()
        return
    with st.container(border=True, key="model_variants"):
        prompts.panel(TASK)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = prompts.choose_prompt(TASK, "model_variant_prompt")
            count = st.number_input("Versions", 1, MOST, 4, key="model_variant_count", persist_state="session", width=120)
        st.html(f"<p class='gs-privacy'>{_words(model.address)}</p>")
        takes = of_each(str(spec), model, [model_prompt(case, int(count), name)], again=1)
        if (limits := panel.offer([takes], "model_variants", what="for this answer")) is not None:
            with errors_shown():
                line, keeps = part_of(str(spec), name), case_sets.may_keep(case)
                panel.start(begin_one(case, line, int(count), limits, keeps=keeps))
        panel.show()


def _words(address: str) -> str:
    checked = "Each version is checked: it must be about as long, change little and list every change."
    if not address:
        return f"As in the paper, a chat model can write variants. Saved replies are used; nothing is sent. {checked}"
    return (
        "As in the paper, a chat model can write variants. <b>Not sent yet.</b> This case's question, sources and answer "
        f"go to <b>{escape(address)}</b>. {checked}"
    )


def _take(case: Case, file: JobFile) -> None:
    written = one_written_in(file)
    if isinstance(written, str):
        shell.say(_SAID, "bad", written)
    else:
        st.session_state["adapted"] = (case, written)
