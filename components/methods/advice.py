"""“Which should I use?” in three lines, and the steps to a strong judge: get it, run it, see its record, open with it."""

from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.chat import methods as asking
from components.controls import needs, unfolded
from components.heatmap import record
from components.methods import weights
from components.runs import new_run
from components.worker import scoring
from components.worker.scoring import LoadedMethod
from groundscope.drawing.html import tag
from groundscope.grounding.runs.planning import chosen
from groundscope.methods import advice, download_size
from groundscope.methods.defaults import EMBEDDER, open_with
from groundscope.methods.defaults import chosen as opening_method
from groundscope.runtime.machine import this_machine
from groundscope.storage.team.roles import Role

_OWN = "the app’s own choice"
_CHAT = "direct"
_JUDGE, _SAID = "strong_judge", "strong"
_SPLIT = "test"


def show(methods: tuple[LoadedMethod, ...], open_id: str) -> None:
    """The three lines, and the steps in an expander; the card of the method `open_id` is shown below."""
    by_id = {m.id: m for m in methods}
    names = [*advice.offered(this_machine(), list(by_id)), _CHAT]
    model, recommendation = asking.chosen(), scoring.recommendation()
    next_ = next((by_id[name] for name in names if by_id[name].missing), by_id[names[0]])
    size = download_size(scoring.loaded(next_.id).requirements())
    step = f"set up {next_.about.title}{f' ({size:,} MB)' if size else ''}" if next_.missing else f"run {next_.about.title}"
    title = by_id[recommendation.method].about.title
    lines = advice.answer(this_machine(), model.model if model else "", title, recommendation.why, step)
    heading = tag("h2", "Which should I use?", class_="gs-small")
    st.html(tag("div", heading, *(tag("p", line) for line in lines), class_="gs-measure gs-advice"))
    with st.container():
        shell.show_said(_SAID)
    unfolded("Set up a strong judge", "strong_judge_panel", _steps, by_id, names, open_id)


def _steps(by_id: dict[str, LoadedMethod], names: list[str], open_id: str) -> None:
    _step(1, "Choose a judge", "Sizes are downloads. Step 3 measures how well a judge works on your texts.")
    picked = st.radio(
        "Judge",
        names,
        format_func=lambda name: _label(by_id[name]),
        key=_JUDGE,
        label_visibility="collapsed",
        persist_state="session",
    )
    method = by_id[picked]
    scorer = scoring.loaded(picked)
    _step(2, "Get it", f"{method.about.measures} Licence: {method.about.licence}.")
    if scorer.asks:
        st.html(shell.note("Choose the model under “Chat model” below; its key comes from the environment."))
    elif method.missing and picked == open_id:
        st.html(shell.note("Its card is open below: get its weights there."))
    elif method.missing:
        weights.show(method, [r for r in scorer.requirements() if r.replaceable or not r.bundled])
    if method.missing:
        return
    st.html(shell.note(f"{method.about.title} is ready."))
    _step(
        3,
        "Run it on labelled cases",
        "It runs beside cosine similarity. Your own cases are the best test; load them on the Cases page.",
    )
    _run(method)
    _step(4, "See its record", "")
    _record(method)


def _step(number: int, title: str, words: str) -> None:
    st.html(tag("h3", f"{number}. {title}", class_="gs-small") + (shell.note(words) if words else ""))


def _label(method: LoadedMethod) -> str:
    """A line that does not change when the judge is ready: a radio button forgets its choice when its words change."""
    size = download_size(scoring.loaded(method.id).requirements())
    terms = ", no commercial use" if "no commercial use" in method.about.licence else ""
    return f"{method.about.title}, {f'{size:,} MB' if size else method.about.needs}{terms}"


def _run(method: LoadedMethod) -> None:
    labelled = [name for name, group in case_sets.sets().items() if len({c.grounded for c in group.cases} - {None}) == 2]
    name = st.selectbox("Labelled cases", labelled, key="strong_set", persist_state="session", width=320)
    group = case_sets.sets()[name if name in labelled else case_sets.SAMPLES]
    split = _SPLIT if any(c.split == _SPLIT for c in group.cases) else ""
    title = f"{method.about.title} on {group.name}"
    if new_run.offer_run(group.name, split, title, chosen(group.cases, split), [method.id, EMBEDDER]):
        shell.say(
            _SAID, "good", f"“{title}” is running. The Runs page shows its progress; its record appears here when it is done."
        )
        st.rerun()


def _record(method: LoadedMethod) -> None:
    newest = record.newest(scoring.loaded(method.id).signature)
    if newest is None:
        st.html(shell.note("No record yet: no finished run has used it on labelled cases."))
        return
    entry, data = newest
    if data is None:
        st.html(shell.note("Its record is being computed. Open this page again in a moment."))
        return
    (auroc, low, high), earned = data["auroc"], bool(data["better"])
    better = f"It is {'' if earned else 'not '}shown to do better than chance."
    interval = f"95 % interval {low:.2f} to {high:.2f}; 0.50 is chance"
    st.html(
        f"<p class='gs-measure'>{escape(data['place'])} AUROC {auroc:.2f} by sentence ({interval}), "
        f"{data['wrong']} wrong and {data['sound']} sound sentences. {better}</p>"
    )
    if opening_method() == method.id:
        st.html(shell.note("The heatmap opens with it."))
    why = "Only a judge that is shown to do better than chance can open the heatmap."
    offer(method.id, method.about.title, "open_with", _SAID, earned=earned, why=why, run=entry.id)


def offer(method: str, title: str, key: str, place: str, *, earned: bool, why: str, run: str = "") -> None:
    """Draw the button that makes a method open the heatmap, or no longer; off, with `why`, unless its record `earned` it."""
    if opening_method() == method:
        if st.button("Open with the app's own choice again", key=key, **needs(Role.LEAD)):
            _choose(None, _OWN, place)
            st.rerun()
    elif st.button("Open the heatmap with it", key=key, **(needs(Role.LEAD) if earned else {"disabled": True, "help": why})):
        if _choose(method, title, place, run):
            state.show_method(method)
        st.rerun()


def _choose(method: str | None, title: str, place: str, run: str = "") -> bool:
    try:
        open_with(method)
        if run:
            record.choose(run, for_all=True)
    except OSError as error:
        shell.say(place, "bad", f"The choice cannot be saved ({error.strerror}); check that the data folder can be written.")
        return False
    shell.say(place, "good", f"The heatmap opens with {title} now.")
    return True
