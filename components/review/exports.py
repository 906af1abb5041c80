"""Exports of a review (report, labels, evidence pack), and deletion of a case's decisions."""

import streamlit as st

from components import shell
from components.chat import methods as asking
from components.controls import download
from components.figure import slug
from components.heatmap import record
from components.review import revealed
from components.state import own
from components.worker import scoring
from groundscope.cases.dataset import to_jsonl
from groundscope.drawing.record import flag_words
from groundscope.errors import StoreError
from groundscope.findings.listing import MethodReading
from groundscope.review import StoredDecision, case_key, default
from groundscope.review.decisions import bare, labelled
from groundscope.review.pack import EvidencePack, PackedMethod, evidence_pack
from groundscope.review.report import ReportContent, report_content
from groundscope.review.report_docx import docx_report
from groundscope.review.report_pdf import pdf_report
from groundscope.types import Case

SAID = "review"


def show(case: Case, name: str, *, is_revealed: bool) -> None:
    """Draw the buttons; methods stand in a file only if the case is revealed to the reviewer."""
    # Before the click: a file is made outside of the session.
    method_notes = revealed.notes(case) if is_revealed else []
    with st.container(horizontal=True, vertical_alignment="center"):
        download(
            "Report (DOCX)", lambda: docx_report(_report(case, name, method_notes)), f"review-{slug(name)}.docx", "review_docx"
        )
        download("Report (PDF)", lambda: pdf_report(_report(case, name, method_notes)), f"review-{slug(name)}.pdf", "review_pdf")
        file = f"decisions-{slug(name)}.jsonl"
        download("Download my decisions as labelled cases", lambda: _labels(name), file, "review_labels")
        _pack(case, name, method_notes, is_revealed=is_revealed)
        with st.popover("Delete this case's decisions"):
            st.html("<p>Everyone's decisions on this case and its text are deleted from the data folder.</p>")
            st.button("Delete", key="review_delete", on_click=_forget, args=(case,))


def _report(case: Case, name: str, methods: list[str]) -> ReportContent:
    return report_content(case, default().current(case_key(case), name), name, methods)


def _labels(name: str) -> str:
    """Every case that a reviewer decided something of, with the decisions as its only labels, as JSONL."""
    decided = default().decided(name)
    cases = default().cases(list(decided))
    return to_jsonl(labelled(cases[k], own) for k, own in bare(decided).items() if k in cases)


def _pack(case: Case, name: str, method_notes: list[str], *, is_revealed: bool) -> None:
    """The pack is made at a click and offered with its seal, which is passed on by another channel."""
    packs: dict[str, EvidencePack] = own("review_packs", {})
    key = f"{case_key(case)} {name} {default().stamp()} {is_revealed}"
    if key not in packs:
        if st.button("Make an evidence pack", key="review_pack"):
            methods = _methods(case) if is_revealed else []
            if methods is None:
                shell.notice("info", "How often the methods are right is being counted: make the pack in a moment.")
                return
            packs.clear()
            packs[key] = evidence_pack(
                case, methods, _history(case, name, is_revealed=is_revealed), _report(case, name, method_notes)
            )
            st.rerun(scope="app")
        return
    pack = packs[key]
    download("Evidence pack", pack.data, f"evidence-{slug(name)}.zip", "review_pack_file")
    st.html(shell.note(f"Seal: {pack.seal}"), width="content")


def _methods(case: Case) -> list[PackedMethod] | None:
    """Everything that has judged the case in this session, as it was read; None while their records are counted."""
    rows = [r for r in scoring.rows(case, revealed.chosen()) if r.judgement]
    signatures = {r.id: scoring.loaded(r.id).signature for r in rows}
    records, promises = record.drawn(signatures), record.promised(signatures)
    if records is None:
        return None
    packed = []
    for row in rows:
        method = scoring.loaded(row.id)
        words = flag_words(records.get(row.id), row.threshold)
        weights = tuple((w.name, w.revision) for w in method.requirements())
        promise = record.promise_phrase(promises.get(row.id), row.threshold)
        if row.judgement:
            reading = MethodReading(row.id, method.signature, row.judgement, row.threshold, words, promise)
            packed.append(PackedMethod(asking.loads(row.id), asking.parameters(row.id), weights, method.asks, reading))
    return packed


def _history(case: Case, name: str, *, is_revealed: bool) -> tuple[StoredDecision, ...]:
    """The reviewer's own decisions, with those that were taken back; everyone's once the case is revealed."""
    return default().history(case_key(case), None if is_revealed else name)


def _forget(case: Case) -> None:
    try:
        default().forget(case_key(case))
    except StoreError as error:
        shell.say(SAID, "bad", str(error))
