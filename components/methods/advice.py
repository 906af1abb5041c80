"""“Which should I use?” in three lines, and the way to a stronger judge: get it, run it, see its record, open with it."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape

import streamlit as st

from components import case_sets, shell, state
from components.controls import action, select_one, unfolded
from components.methods import weights
from components.opened import record, runs, starting
from components.scoring.session import LoadedMethod, Session
from groundscope.drawing.html import Html, region, table, tag
from groundscope.errors import GroundscopeError
from groundscope.grounding.runs.planning import chosen, known_seconds
from groundscope.methods import advice, download_size
from groundscope.methods.board import record_of
from groundscope.methods.defaults import EMBEDDER, open_with
from groundscope.methods.defaults import chosen as opening_method
from groundscope.runtime.machine import this_machine
from groundscope.storage.team import Role, use_case

_APPS = "the app’s own choice"
_CHAT = "direct"
_JUDGE, _SAID = "strong_judge", "strong"
_SPLIT = "test"
_HEADS = ("Judge", "Published, not measured here", "Download", "Speed here", "Licence", "Leaves this machine")
_MEANING = (
    "LLM-AggreFact: balanced accuracy in percent, by claim; 50 is chance. RAGTruth: F1 in percent, by answer. The two do not "
    "compare. Speed: seconds an answer; a dash: not measured here."
)
_OWN = "nothing, if the server is yours"
_CHAT_ROWS = {"Claude, OpenAI, Google": "question, sources and answer, to the provider", "llama.cpp, Ollama, vLLM": _OWN}
"""What leaves the machine, by kind of chat model."""


def show(methods: Session, open_id: str) -> None:
    """The three lines with the next judge's download, and the judges in an expander; the card of `open_id` is shown below."""
    built = {m.id: m.method for m in methods.listed}
    model, recommendation = methods.model, methods.recommendation
    next_id = advice.stronger(built, this_machine()) or ""
    seconds = _paces(tuple(runs.run_list().entries)).get(built[next_id].signature) if next_id else None
    title = methods[recommendation.method].about.title
    lines = advice.answer(this_machine(), model.model if model else "", title, recommendation.why, built.get(next_id), seconds)
    heading = tag("h2", "Which should I use?", class_="gs-small")
    st.html(tag("div", heading, *(tag("p", line) for line in lines), class_="gs-measure gs-advice"))
    if next_id and next_id != open_id:
        _get(methods[next_id])
    with st.container():
        shell.show_said(_SAID)
    unfolded("Stronger judges: figures, size, speed, licence", "strong_judge_panel", _steps, methods, (open_id, next_id))


@lru_cache(maxsize=1)
def _paces(_runs: tuple[str, ...]) -> Mapping[str, float]:
    """Seconds an answer by signature, from the latest runs."""
    try:
        return known_seconds()
    except GroundscopeError:
        return {}


def _get(method: LoadedMethod) -> None:
    weights.show(method, method.method.requirements(), folders=False)


def _steps(methods: Session, shown: tuple[str, str]) -> None:
    judges = advice.judges({m.id: m.method for m in methods.listed}, this_machine())
    listed = [methods[name] for name in (*judges, _CHAT)]
    st.html(shell.note(_MEANING) + region("Stronger judges", _table(listed)))
    picked = select_one(st, "Judge", {m.id: m.about.title for m in listed}, _JUDGE, width=320)
    method = methods[picked]
    if method.method.asks:
        words = "Choose its model under “Chat model” below. The guide “Ask a chat model” says what is sent and what it costs."
        st.html(shell.note(words))
    elif method.missing and picked in shown:
        st.html(shell.note(f"Get its weights {'in its card below' if picked == shown[0] else 'above'}."))
    elif method.missing:
        _get(method)
    if method.missing:
        return
    st.html(shell.note(f"{method.about.title} is ready. Run it on labelled cases, best your own, beside cosine similarity."))
    _run(method, methods)
    _record(method)


def _table(listed: Sequence[LoadedMethod]) -> Html:
    paces = _paces(tuple(runs.run_list().entries))
    rows = []
    for method in listed:
        about, scorer = method.about, method.method
        record, p, seconds = record_of(method.signature), about.published, paces.get(method.signature)
        merit = f"Measured: {record.why}" if record else f"{p.figure:.1f}, {p.sets}" if p else "no published figure"
        get = "chat model" if scorer.asks else f"{download_size(scorer.requirements()):,} MB"
        facts = (merit, get if method.missing else "ready", "–" if seconds is None else advice.seconds_in_words(seconds))
        kinds = _CHAT_ROWS if method.id == _CHAT else {"": _OWN if scorer.asks else "nothing"}
        rows += [(f"{about.title}{kind and f': {kind}'}", *facts, about.licence, leaves) for kind, leaves in kinds.items()]
    return table(_HEADS, rows)


def _run(method: LoadedMethod, methods: Session) -> None:
    labelled = [name for name, group in case_sets.sets().items() if len({c.grounded for c in group.cases} - {None}) == 2]
    name = st.selectbox("Labelled cases", labelled, key="strong_set", persist_state="session", width=320)
    group = case_sets.sets()[name if name in labelled else case_sets.SAMPLES]
    split = _SPLIT if any(c.split == _SPLIT for c in group.cases) else ""
    title = f"{method.about.title} on {group.name}"
    parts = starting.loaded_parts([method.id, EMBEDDER], methods)
    if parts and starting.offer_run(group.name, split, title, chosen(group.cases, split), parts):
        shell.say(
            _SAID, "good", f"“{title}” is running. The Runs page shows its progress; its record appears here when it is done."
        )
        st.rerun()


def _record(method: LoadedMethod) -> None:
    newest = record.newest(method.signature)
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
        action("Open with the app's own choice again", key, _choose, None, _APPS, place)
    else:
        off = {} if earned else {"disabled": True, "help": why}
        action("Open the heatmap with it", key, _choose, method, title, place, run, **off)


@use_case(Role.LEAD)
def _choose(method: str | None, title: str, place: str, run: str = "") -> None:
    try:
        open_with(method)
        if run:
            record.choose(run, for_all=True)
    except OSError as error:
        shell.say(place, "bad", f"The choice cannot be saved ({error.strerror}); check that the data folder can be written.")
        return
    if method:
        state.show_method(method)
    shell.say(place, "good", f"The heatmap opens with {title} now.")
