"""The evidence of a sentence: a panel under the heatmap that leaves out each passage, and each of its sentences, once."""

from collections.abc import Iterator, Sequence
from concurrent.futures import wait
from functools import partial
from html import escape
from typing import Any, NamedTuple

import streamlit as st

from components import case_sets, shell, state
from components.controls import download, one_of, progress, unfolded
from components.experiments.panel import TaskPanel
from components.scoring import app_worker
from components.scoring.session import LoadedMethod, this_session
from components.shell import style
from components.worker.job import Job
from groundscope.cases.edits.whole_set import digest
from groundscope.drawing.board import MethodRow
from groundscope.drawing.html import Html, region, safe, table, tag
from groundscope.drawing.reader import passage_name
from groundscope.experiments.listing import Listed
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.grounding.parts import described
from groundscope.grounding.runs.planning import forecast
from groundscope.grounding.sensitivity.leave_one_out import (
    LEAVING_OUT,
    SMALL,
    WHOLE,
    LeaveOneOut,
    ResponseSupports,
    begin,
    differs,
    frame,
    scored_in,
    turned,
    versions,
)
from groundscope.grounding.tables import frame_csv
from groundscope.statistics.decision import verdict
from groundscope.text.alignment import aligned
from groundscope.text.humanize import joined
from groundscope.text.sentences import context_sentences, sentence_id
from groundscope.text.shown import shown_words
from groundscope.types import Case, Judgement, Status

KEY = "evidence"
_PATIENCE = 1.5
"""Seconds that a page waits before it says how far the work is: longer than methods without a large model take on a sample."""
_POLL = 0.3
_SLOW = 4.0
"""Seconds of one score from which scoring it many times is a job."""
_MOST = 60
"""Answers that a session keeps."""
_SHORT = 300
_STYLE = style("evidence")
_ABOUT = (
    "is left out and the answer is scored again. This shows what the method relies on, not what is true. Of two passages that "
    "say the same, leaving out one changes nothing."
)
_SOURCES = "sources"
_PARTS = {_SOURCES: "Each passage", "sentences": "Each passage and each of its sentences"}
"""How far a job goes; the first is where the choice begins."""


class LeaveOneOutKey(NamedTuple):
    """What is left out of a case for a method with its settings; `sentences`: of the sources, too."""

    signature: str
    case: Case
    sentences: bool = True


class SelectedSentence(NamedTuple):
    """What the heatmap shows: a method's row and judgement, and a sentence of the response, or `WHOLE`."""

    row: MethodRow
    judgement: Judgement
    sentence: int


def is_open() -> bool:
    """Whether the panel is open, so that the heatmap has to say which sentence is chosen."""
    return bool(st.session_state.get(KEY))


def chosen(case: Case, key: str, pick: Any) -> None:
    """Take what is chosen in the heatmap of the case with a key; values from the browser are checked before use."""
    if not is_open() or not isinstance(pick, dict) or pick.get("case") != key:
        return
    method, sentence = pick.get("method"), pick.get("sentence")
    if isinstance(method, str) and isinstance(sentence, int) and _picks().get("last") != (case, method, sentence):
        _picks()["last"] = (case, method, sentence)
        st.rerun()


def _picks() -> dict[str, tuple[Case, str, int]]:
    return state.own("evidence_pick", {})


def waits(case: Case, rows: Sequence[MethodRow]) -> bool:
    """Whether the panel is open and the chosen method has no score yet: it is drawn again as soon as there is one."""
    return is_open() and _selected(case, rows) is None


def show(case: Case, rows: Sequence[MethodRow]) -> None:
    """The panel, drawn only while it is open."""
    unfolded("What carries this sentence", KEY, _show, case, tuple(rows))


def _show(case: Case, rows: Sequence[MethodRow]) -> None:
    st.html(_STYLE)
    selected = _selected(case, rows)
    if selected is None:
        shell.notice("info", "The chosen method has no score of this answer. Choose another one, or wait until it has.")
        return
    st.html(_head(case, selected))
    method = this_session()[selected.row.id]
    if method.method.asks or selected.judgement.seconds > _SLOW:
        _job(case, selected, method)
        return
    search = LeaveOneOutKey(method.signature, case)
    if _answer(search) is None and _running(search) is None:
        _start(search, selected, method)
    if job := _running(search):
        wait([job.future], timeout=_PATIENCE)
    waiting = _answer(search) is None
    st.fragment(_live, run_every=_POLL if waiting else None)(search, selected, method, waiting)


def _selected(case: Case, rows: Sequence[MethodRow]) -> SelectedSentence | None:
    """The method and sentence that the heatmap shows: as it said, as the link says, or as it opens by itself."""
    of, method, sentence = _picks().get("last", (None, "", -1))
    if of != case:
        number = st.query_params.get("sentence", "")
        method, sentence = st.query_params.get("method", ""), int(number) - 1 if number.isdecimal() and len(number) < 7 else -1
    scored = [r for r in rows if r.judgement and r.judgement.status is Status.SCORED]
    row = next((r for r in rows if r.id == method), next(iter(scored), None))
    if row is None or row.judgement is None or row not in scored:
        return None
    supports = [s.support for s in aligned(case, row.judgement)]
    supported = {i: s for i, s in enumerate(supports) if s is not None}
    if not supported or 0 <= sentence < len(supports):
        return SelectedSentence(row, row.judgement, sentence if supported else WHOLE)
    flagged = verdict(row.judgement, row.threshold).flagged
    return SelectedSentence(row, row.judgement, flagged[0] if flagged else min(supported, key=supported.__getitem__))


def _head(case: Case, selected: SelectedSentence) -> Html:
    what, support, text = "The whole answer", selected.judgement.support, ""
    if selected.sentence != WHOLE:
        shown = aligned(case, selected.judgement)[selected.sentence]
        what, support = f"Sentence {selected.sentence + 1}", shown.support
        text = shown_words(case.response, shown.start, shown.end)
    rule = f", threshold {selected.row.threshold:.2f}" if selected.row.threshold is not None else ""
    title = f"{what}, {selected.row.about.title}: {_support(support, selected.row.threshold)}{rule}"
    return Html(tag("p", tag("b", title)) + (tag("p", text, class_="gs-text", dir="auto") if text else ""))


def _job(case: Case, selected: SelectedSentence, method: LoadedMethod) -> None:
    """What a method gave without each part that asks a model or takes long; until all is known, what a job for the rest takes."""
    key, whole = digest(case), LeaveOneOutKey(method.signature, case)

    def shown(job: Listed) -> bool:
        return bool(job.plan.options["case"] == key and job.plan.parts[0].signature == method.signature)

    panel = TaskPanel(
        LEAVING_OUT.kind, "Its results and its copy of the case", of=shown, take=partial(_take, whole), taking="Show the result"
    )  # fmt: skip
    panel.show()
    search = whole if whole in _answers() else whole._replace(sentences=one_of("Leave out", _PARTS, "evidence_parts") != _SOURCES)
    if isinstance(answer := _answers().get(search), LeaveOneOut):
        _result(search, answer, selected)
    elif not panel.jobs():
        _, cases = versions(case, selected.judgement, sentences=search.sentences)
        part, keeps = described(method.part, method.method), case_sets.may_keep(case)
        # A version is hardly ever longer than the case, and then by a stand-in of two sentences.
        each = forecast([case], [(part, method.method)], {part.signature: selected.judgement.seconds})[part.id]
        takes = each.times(len(cases))
        if (limits := panel.offer([takes], KEY)) is not None:
            panel.start(begin(part, case, selected.judgement, limits, sentences=search.sentences, keeps=keeps))


def _take(search: LeaveOneOutKey, file: JobFile) -> None:
    _answers()[search._replace(sentences=plan_of(file).options["whole"])] = scored_in(file)


def _live(search: LeaveOneOutKey, selected: SelectedSentence, method: LoadedMethod, waiting: bool) -> None:
    answer = _answer(search)
    if waiting != (answer is None):
        st.rerun()
    if answer is None:
        if job := _running(search):
            progress(job.share, f"{selected.row.about.title}: {job.words}", "evidence_cancel", _cancel, search)
        return
    if isinstance(answer, str):
        shell.notice("info", answer)
        st.button("Try again", key="evidence_again", on_click=_start, args=(search, selected, method))
        return
    _result(search, answer, selected)


def _result(search: LeaveOneOutKey, answer: LeaveOneOut, selected: SelectedSentence) -> None:
    case, sentence, threshold = search.case, selected.sentence, selected.row.threshold
    st.html(f'<p class="gs-lead gs-measure">{escape(lead(answer, sentence, threshold))}</p>')
    st.html(bars(case, answer, sentence, threshold))
    left_out = "Each passage, and each sentence of it," if search.sentences else "Each passage"
    st.html("".join(map(shell.note, [*unused(answer), *answer.notes, f"{left_out} {_ABOUT}"])))
    download(
        "Download this table as CSV", lambda: frame_csv(frame(case, answer, threshold)), "what-carries.csv", "evidence_csv"
    )  # fmt: skip


def _answers() -> dict[LeaveOneOutKey, LeaveOneOut | str]:
    return state.last_few(state.own("evidence_answers", {}), _MOST)


def _jobs() -> dict[LeaveOneOutKey, Job]:
    return state.own("evidence_jobs", {})


def _answer(search: LeaveOneOutKey) -> LeaveOneOut | str | None:
    """The supports, or why there are none; None where they are not known yet."""
    job = _jobs().get(search)
    if job is not None and job.future.done():
        _jobs().pop(search)
        result = job.future.result()
        why = result.note if isinstance(result, Judgement) else "Cancelled."
        _answers()[search] = result if isinstance(result, LeaveOneOut) else why
    return _answers().get(search)


def _running(search: LeaveOneOutKey) -> Job | None:
    job = _jobs().get(search)
    if job is not None:
        app_worker.watching(job)
    return job


def _start(search: LeaveOneOutKey, selected: SelectedSentence, method: LoadedMethod) -> None:
    """Score the versions, for what is selected of the case that is shown."""
    _answers().pop(search, None)
    if search in _jobs():
        return
    # What is still looked for is of a case or a method that is no longer shown.
    for other in _jobs():
        _cancel(other)
    _jobs()[search] = app_worker.worker().leave_one_out(
        method.part.loads,
        search.case,
        tuple(sorted(method.part.options.items())),
        keep=case_sets.may_keep(search.case),
        session=state.user(),
    )


def _cancel(search: LeaveOneOutKey) -> None:
    if job := _jobs().get(search):
        app_worker.stop(job)


def _support(support: float | None, threshold: float | None) -> str:
    """A support and which side of the threshold it is on."""
    if support is None:
        return "no support"
    side = "" if threshold is None else ", below the threshold" if support < threshold else ", above the threshold"
    return f"{support:.2f}{side}"


def lead(answer: LeaveOneOut, sentence: int, threshold: float | None) -> str:
    """Which passages the verdict of a sentence depends on, in sentences."""
    support = answer.full.of(sentence)
    if support is None:
        return answer.full.note or "This method gives this sentence no support, so nothing carries it."
    if threshold is None:
        return "No threshold is set for this method, so there is no verdict to keep."
    turning = [p for p, without in answer.sources.items() if turned(support, without.of(sentence), threshold)]
    if support < threshold:
        lifted = f"It would be above without {_numbered(turning)}." if turning else "Without any one passage it stays there."
        return f"It is below the threshold with all sources. {lifted}"
    if not turning:
        return "Without any one passage it stays above the threshold."
    each = "any one of " if len(turning) > 1 else ""
    return f"It falls below the threshold when {each}{_numbered(turning)} is left out."


def unused(answer: LeaveOneOut) -> list[str]:
    """The passages that change nothing in the whole answer, in a sentence; nothing where there are none."""
    idle = [p for p, without in answer.sources.items() if not differs(without, answer.full)]
    if not idle:
        return []
    each = "Each of " if len(idle) > 1 else ""
    named = _numbered(idle)
    return [f"{each}{named if each else named.capitalize()}, left out alone, changes no support by more than {SMALL}."]


def _numbered(sources: Sequence[int]) -> str:
    """Passages by their numbers: `passages 1, 3 and 4`."""
    numbers = [str(p + 1) for p in sorted(sources)]
    return f"passage{'s' * (len(numbers) > 1)} {joined(numbers)}"


def bars(case: Case, answer: LeaveOneOut, sentence: int, threshold: float | None) -> Html:
    """A line with nothing left out, and one for each passage, with those of its sentences that matter."""
    full = answer.full.of(sentence)
    line = partial(_line, full=full, sentence=sentence, threshold=threshold)
    lines = [line("nothing", answer.full)]
    for p, without in answer.sources.items():
        lines.append(line(Html(f"{tag('b', f'passage {p + 1}')} {tag('span', passage_name(case, p), dir='auto')}"), without))
        lines += [line(text, one) for text, one in _sentences(case, answer, sentence, p)]
    heads = ("Left out", "Support without", "")
    return region("Support without each passage", table(heads, lines, css="gs-counts gs-without"))


def _sentences(case: Case, answer: LeaveOneOut, sentence: int, source: int) -> Iterator[tuple[Html, ResponseSupports]]:
    """The sentences of a source without which the support is another."""
    units, before = context_sentences(case.context), answer.full.of(sentence)
    for j, without in answer.sentences.items():
        p, start, end = units[j]
        after = without.of(sentence)
        if p == source and (after is None or before is None or abs(after - before) > SMALL):
            words = " ".join(case.context[p].text[start:end].split())
            text = tag("q", f"{words[:_SHORT]}…" if len(words) > _SHORT else words, dir="auto")
            yield tag("span", f"{sentence_id(case.context, p, start)} ", text, class_="gs-inner"), without


def _line(name: str, without: ResponseSupports, *, full: float | None, sentence: int, threshold: float | None) -> list[str]:
    support = without.of(sentence)
    words = _support(support, threshold)
    tone = "turned" if turned(full, support, threshold) else ""
    shown = tag("b", words) if tone else safe(words if support is not None else without.note or words)
    mark = tag("i", style=f"left:{100 * threshold:.1f}%") if threshold is not None else Html()
    fill = tag("span", class_=tone, style=f"width:{100 * (support or 0.0):.1f}%")
    # Read by the figure beside it, so hidden from screen readers.
    return [name, tag("div", fill, mark, class_="gs-bar", aria_hidden="true"), shown]
