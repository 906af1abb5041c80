"""Exports of a review (report, labels, evidence pack), and deletion of a case's decisions."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from components import shell
from components.controls import download, errors_shown, slug
from components.opened import record
from components.review import revealed
from components.scoring import judging
from components.scoring.session import LoadedMethod, this_session
from components.state import own
from groundscope.cases.dataset import to_jsonl
from groundscope.drawing.board import MethodRow
from groundscope.drawing.record import flag_words
from groundscope.experiments.plan import Part
from groundscope.findings import FindingList, MethodReading
from groundscope.grounding.parts import described
from groundscope.methods import Method
from groundscope.review import StoredDecision, case_key, default, matters
from groundscope.review.decisions import bare, counting, labelled
from groundscope.review.pack import EvidencePack, evidence_pack
from groundscope.review.redline import redline
from groundscope.review.redline_docx import docx_redline
from groundscope.review.report import ReportContent, page_size_of, pdf_report, report_content
from groundscope.review.report_docx import docx_report
from groundscope.review.settling import Settlement, holding, settlements
from groundscope.types import Case

SAID = "review"
_Packed = list[tuple[Part, Method, MethodReading]]


def show(case: Case, name: str, findings: FindingList | None) -> None:
    """Draw the buttons; what checks, methods and other people say stands in a file only with the findings, once revealed."""
    # The pack holds the methods with a figure, and lists all others as missing.
    methods = revealed.chosen(case, this_session()) if findings else []
    rows = judging.rows(case, methods)
    figures, left_out = [r for r in rows if not revealed.lacks(r)], revealed.left_out(rows)
    matter, page_size = matters.default().of(case), page_size_of(st.context.locale)
    of = (matter.name, matter.client) if matter else ("", "")

    # The own decisions, with those that were taken back; everyone's, and what was settled, once the case is revealed.
    def history() -> tuple[StoredDecision, ...]:
        return default().everything(case_key(case)) if findings else default().history(case_key(case), name)

    def decided() -> tuple[dict[int, StoredDecision], dict[int, Settlement]]:
        read = history()
        return counting(d for d in read if d.reviewer == name and not d.settles), settlements(read)

    def report() -> ReportContent:
        mine, settled = decided()
        return report_content(case, mine, name, findings, left_out, matter=of, page_size=page_size, settled=settled)

    def tracked() -> bytes:
        return docx_redline(redline(case, holding(*decided()), name), page_size)

    with st.container(horizontal=True, vertical_alignment="center"):
        download("Report (DOCX)", lambda: docx_report(report()), f"review-{slug(name)}.docx", "review_docx")
        download("Report (PDF)", lambda: pdf_report(report()), f"review-{slug(name)}.pdf", "review_pdf")
        file = f"decisions-{slug(name)}.jsonl"
        download("Redline (DOCX)", tracked, f"redline-{slug(name)}.docx", "review_redline")
        download("Download my decisions as labelled cases", lambda: _labels(name), file, "review_labels")
        judged = [(r.id, r.signature, r.threshold) for r in figures]
        rests_on = hash((default().stamp(), findings, left_out, of, page_size, *judged))
        packed = partial(_packed, methods, figures)
        _pack(case, name, findings, packed, history, report, rests_on)
        with st.popover("Delete this case's decisions"):
            st.html("<p>Everyone's decisions on this case and its text are deleted from the data folder.</p>")
            forget = errors_shown(place=SAID)(default().forget)
            st.button("Delete", key="review_delete", on_click=forget, args=(case_key(case),))


def _labels(name: str) -> str:
    """Every case that a reviewer decided something of, with the decisions as its only labels, as JSONL."""
    decided = default().decided(name)
    cases = default().cases(list(decided))
    return to_jsonl(labelled(cases[k], own) for k, own in bare(decided).items() if k in cases)


def _pack(
    case: Case,
    name: str,
    findings: FindingList | None,
    packed: Callable[[], _Packed | None],
    history: Callable[[], tuple[StoredDecision, ...]],
    report: Callable[[], ReportContent],
    rests_on: int,
) -> None:
    """The pack is made at a click and offered with its seal, which is passed on by another channel."""
    packs: dict[str, tuple[int, EvidencePack]] = own("review_packs", {})
    of = f"{case_key(case)} {name}"
    packed_on, pack = packs.get(of, (0, None))
    if pack:
        download("Evidence pack", pack.data, f"evidence-{slug(name)}.zip", "review_pack_file")
        older = "" if packed_on == rests_on else ". Something has changed since it was made."
        st.html(shell.note(f"Seal: {pack.seal}{older}"), width="content")
    if packed_on != rests_on and st.button("Make the pack again" if pack else "Make an evidence pack", key="review_pack"):
        methods = packed()
        if methods is None:
            shell.notice("info", "How often the methods are right is being counted: make the pack in a moment.")
            return
        packs.clear()
        packs[of] = rests_on, evidence_pack(case, methods, history(), report(), findings)
        st.rerun(scope="app")


def _packed(methods: Sequence[LoadedMethod], figures: Sequence[MethodRow]) -> _Packed | None:
    """The methods with a figure of the case, as it was read; None while their records are counted."""
    if not figures:
        return []
    by_id = {m.id: m for m in methods}
    signatures = {r.id: r.signature for r in figures}
    records, promises = record.drawn(signatures), record.promised(signatures)
    if records is None:
        return None
    packed: _Packed = []
    for row in figures:
        words = flag_words(records.get(row.id), row.threshold)
        promise = record.promise_phrase(promises.get(row.id), row.threshold)
        if row.judgement:
            reading = MethodReading(row.id, row.signature, row.judgement, row.threshold, words, promise)
            part, method = by_id[row.id].part, by_id[row.id].method
            packed.append((described(part, method), method, reading))
    return packed
