"""A check of the judge by people: a sample to read on the Review page, and what was decided of it."""

import pandas as pd
import streamlit as st

from components import case_sets, shell
from components.case_sets import CaseSet
from components.controls import errors_shown, table_csv
from components.rag import state
from components.rag.sources import AnswerSource
from components.rag.tables import SCROLLED
from components.state import once
from groundscope.drawing.html import region, table
from groundscope.rag.outcomes import Share
from groundscope.rag.report import RagReport
from groundscope.review import case_key, default
from groundscope.review.audit import JudgeAudit, audit_sample, audit_values, people_audits
from groundscope.statistics.bootstrap import Interval
from groundscope.text.humanize import plural

_FIRST, _MOST = 30, 1_000
_ABOUT = (
    "Whether the judge is right is known only where people have read the same answers. A sample is drawn, rare verdicts as often "
    "as frequent ones. On the Review page each answer is read twice: beside its passages (grounded), and as the source of the "
    "reference answer (correct). The judge's verdict is not shown there."
)
_NOTE = (
    "Corrected: the share that people would find if they read all answers, by what they said of each pair of verdicts, with its "
    "95 % interval. It holds if the answers that were read were drawn at random. Where several people read an answer, it counts "
    "what they agree on or was settled."
)


def show(source: AnswerSource, report: RagReport) -> None:
    """The sample, and what was decided."""
    st.html(f"<p class='gs-measure'>{_ABOUT}</p>")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input("Answers to read", 1, _MOST, _FIRST, key="rag_audit_count", persist_state="session", width=160)
        seed = st.number_input("Seed of the draw", 0, 1_000_000, 1, key="rag_audit_seed", persist_state="session", width=160)
        if st.button("Read this sample", key="rag_audit"):
            _read(source, int(count), int(seed))
    with errors_shown():
        store = default()
        key = ("audit", source.id, source.stamp, store.database.shown, store.stamp())
        _results(source, once(state.reports(), key, lambda: people_audits(source.answers, store)))


def _read(source: AnswerSource, count: int, seed: int) -> None:
    cases = audit_sample(source.answers, count, seed)
    if not cases:
        shell.notice("info", "These results do not hold the texts, so that no one can read them.")
        return
    case_sets.add(CaseSet(f"Audit of {source.name}"[:80], cases))
    st.switch_page("pages/review.py", query_params={"reviewed": case_key(cases[0])})


def _results(source: AnswerSource, audits: tuple[JudgeAudit, ...]) -> None:
    if not audits:
        shell.notice("info", "No one has decided on any of these answers yet.")
        return
    heads = ("Verdict", "The judge says yes", "Read", "People agree with a yes", "People agree with a no", "Corrected")
    lines = [(a.what, _share(a.judged), plural(a.read, "answer"), _share(a.yes), _share(a.no), _corrected(a)) for a in audits]
    st.html(region("Judge against people", table(heads, lines, caption="The judge against people"), css=SCROLLED))
    st.html(f"<p class='gs-note gs-measure'>{_NOTE}</p>")
    table_csv(pd.DataFrame(map(audit_values, audits)), f"audit {source.name}", "rag_audit_csv")


def _share(share: Share) -> str:
    return f"{_between(share.value, share.interval)} of {share.of:,}" if share.of else "–"


def _corrected(audit: JudgeAudit) -> str:
    if audit.corrected != audit.corrected:
        return "not known: of some pair of verdicts no answer was read"
    return _between(audit.corrected, audit.interval)


def _between(value: float, ends: Interval) -> str:
    return f"{100 * value:.1f} % ({100 * ends.low:.0f}–{100 * ends.high:.0f})"
