"""Settings of a score: B-SIM and its threshold, the metric, and what counts as a claim."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from components import shell
from components import state as session
from components.chat import prompts
from components.citations import measures, messages
from components.controls import errors_shown, select_one
from components.experiments.panel import TaskPanel
from components.scoring import asking
from components.worker.reading import read_once
from groundscope.citations.authorities import CITED_ALIKE, FLOORS
from groundscope.citations.batch import AnalysisEntry
from groundscope.citations.claims import REACHES, CitingDocument, Reach, documents
from groundscope.citations.decomposing import DECOMPOSING, Decomposed, decomposed, decomposer
from groundscope.citations.decomposing import TASK as DECOMPOSITION
from groundscope.citations.fresco import FrescoScore, fresco, l_fresco
from groundscope.citations.similarity import TASK as SAME_CLAIM
from groundscope.citations.similarity import Similarity
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import plan_of
from groundscope.files.sandbox import CITING, sandboxed
from groundscope.runtime.byte_cache import MEGABYTE, ByteLRU
from groundscope.text.humanize import plural

METRICS = {"best": "L-FRESCO", "sum": "L-FRESCO, literal sum", "fresco": "FRESCO"}
_CITED = {"authority": "the same authority", "parts": "shared parts (volume, reporter, page)", "names": "names and text"}
_REACH = {"last": "the last sentence", "all": "all sentences since the previous citation"}
_KEPT = 64 * MEGABYTE
"""Of texts that were read, in a session."""

_PORTION = 1_000_000
MOST = 1_000_000
"""Most pairs of citations of two texts that FRESCO matches on the page: takes seconds."""


class MetricSettings(NamedTuple):
    """The user's choices."""

    measure: str
    threshold: float
    metric: str
    cited: str
    floor: float
    reach: Reach
    subsections: bool
    by: str = ""
    """The chat model that splits texts into claims, as SPEC or `chat/PROMPT:SPEC`; empty = rules do."""

    @property
    def options(self) -> dict[str, object]:
        """The other settings of the score, by the names of the command's options."""
        matching = {"c_sim": self.cited, "floor": self.floor} if self.metric == "fresco" else {}
        claims = {"decompose": self.by} if self.by else {"claim": self.reach}
        return {**claims, "subsections": self.subsections, **matching}


def settings() -> MetricSettings:
    """Let the user choose; each B-SIM has its own threshold, because their scales differ."""
    with st.expander("How citations and claims are compared", key="cites_more"):
        titles = measures.titles()
        left, middle, right = st.columns([3, 2, 3])
        measure = select_one(left, "Compare claims by (B-SIM)", titles, "cites_measure")
        hint = (
            "L-FRESCO compares claims that cite the same authority. Its literal sum can pass 1, so it has no F1. "
            "FRESCO matches each citation with at most one other first."
        )
        metric = select_one(middle, "Score", METRICS, "cites_metric", help=hint)
        start = measures.threshold_of(measure)
        threshold = right.slider(
            "Claims match from", 0.0, 1.0, round(start, 2), 0.01, key=f"cites_threshold_{measure}", persist_state="session"
        )
        by = select_one(st, "Claims are found by", _ways(), "cites_by", width=420)
        reach = st.radio(
            "If several sentences precede a citation, the claim is", REACHES, format_func=lambda r: _REACH[r], key="cites_reach",
            horizontal=True, persist_state="session", disabled=bool(by),
        )  # fmt: skip
        subsections = st.checkbox(
            "Count subsections of a law as separate authorities", key="cites_subsections", persist_state="session"
        )
        cited = str(
            st.radio(
                "FRESCO: compare citations by (C-SIM)", list(_CITED), format_func=lambda c: _CITED[c], key="cites_csim",
                horizontal=True, persist_state="session",
            )
        )  # fmt: skip
        floor = st.slider(
            "FRESCO: no match below (floor)", 0.0, 1.0, FLOORS[cited], 0.05, key=f"cites_floor_{cited}", persist_state="session"
        )
    prompts.panel(DECOMPOSITION, SAME_CLAIM)
    return MetricSettings(measure, threshold, metric, cited, floor, reach or "last", subsections, by)


def _ways() -> dict[str, str]:
    line = asking.line()
    rules = {"": "Rules: sentences and their citations"}
    return rules | (prompts.offered_prompts(DECOMPOSITION, line, f"Chat model: {line}") if line else {})


def read_all(entries: Sequence[AnalysisEntry], chosen: MetricSettings) -> list[tuple[CitingDocument, CitingDocument] | None]:
    """Each generated text and its reference as claims with authorities; empty, and why on the page, if they were not read.

    None, and why on the page, stands for texts whose claims a chat model could not give. What was read stays in the session.
    """
    how = (chosen.reach, chosen.subsections)
    texts = tuple(dict.fromkeys(text for entry in entries for text in (entry.generated, entry.reference)))
    if chosen.by:
        with errors_shown():
            return _by_model(entries, _documents_by_model(texts, chosen.by, subsections=chosen.subsections))
        return []
    by_text = read_once((texts, how), lambda: _documents(texts, *how)) or {}
    return [(by_text[entry.generated], by_text[entry.reference]) for entry in entries] if by_text else []


def _replies() -> dict[tuple[str, str, bool], Decomposed]:
    """What chat models made of texts, by text, model and whether subsections count by themselves."""
    return session.own("cites_decomposed", {})


def _use_claims(file: JobFile) -> None:
    (part,), subsections = plan_of(file).parts, plan_of(file).options["subsections"]
    for text, content in DECOMPOSING.by_item(file).items():
        document = sandboxed(CITING, decomposed, text, content, subsections=subsections)
        _replies()[text, part.id, subsections] = document


SPLITTINGS = TaskPanel(DECOMPOSING.kind, "Its claims and its copy of the texts", take=_use_claims, taking="Use the claims")


def _documents_by_model(texts: Sequence[str], line: str, *, subsections: bool) -> Mapping[str, Decomposed]:
    """What a model makes of each text; empty, with an offer on the page, while some are missing."""
    replies = _replies()
    missing = [t for t in texts if (t, line, subsections) not in replies]
    takes = decomposer(line).takes(missing)
    if not takes.calls:
        # None of them cites anything.
        replies.update({(t, line, subsections): decomposed(t, {"claims": []}) for t in missing})
        return {t: replies[t, line, subsections] for t in texts}
    if not SPLITTINGS.works_here(line):
        what = plural(len(missing), "text")
        st.html(messages.offer(what, "split into claims", takes.leaves))
        if (limits := SPLITTINGS.offer([takes], "cites_texts")) is not None:
            chosen = {"subsections": subsections}
            job = DECOMPOSING.create(f"Claims of {what}", {line: takes.title}, missing, chosen, limits, keeps=False)
            SPLITTINGS.start(job)
    return {}


def _by_model(
    entries: Sequence[AnalysisEntry], replies: Mapping[str, Decomposed]
) -> list[tuple[CitingDocument, CitingDocument] | None]:
    read: list[tuple[CitingDocument, CitingDocument] | None] = []
    for entry in entries if replies else ():
        generated, reference = replies[entry.generated], replies[entry.reference]
        if generated.document is None or reference.document is None:
            why = generated.why or reference.why
            shell.notice("bad", f"{entry.id}, {entry.system}: left out, its claims could not be read. {why}")
            read.append(None)
        else:
            read.append((generated.document, reference.document))
    return read


def _documents(texts: Sequence[str], reach: Reach, subsections: bool) -> dict[str, CitingDocument]:
    cache = session.own("cites_read", ByteLRU(_KEPT))
    read: dict[str, CitingDocument] = {
        text: document for text in texts if (document := cache.get((text, reach, subsections))) is not None
    }
    for some in _portions([text for text in texts if text not in read]):
        new = dict(zip(some, sandboxed(CITING, documents, some, reach, subsections=subsections), strict=True))
        read |= new
        for text, document in new.items():
            cache.put((text, reach, subsections), document)
    return read


def _portions(texts: Sequence[str]) -> Iterator[list[str]]:
    """Texts of together a million characters, or a longer one alone: 8 seconds of reading where they are full of citations."""
    some: list[str] = []
    for text in texts:
        if some and sum(map(len, some)) + len(text) > _PORTION:
            yield some
            some = []
        some.append(text)
    if some:
        yield some


def score(generated: CitingDocument, reference: CitingDocument, similarity: Similarity, chosen: MetricSettings) -> FrescoScore:
    """By the chosen metric."""
    if chosen.metric == "fresco":
        return fresco(generated, reference, similarity, CITED_ALIKE[chosen.cited], chosen.threshold, chosen.floor)
    return l_fresco(generated, reference, similarity, chosen.threshold, "sum" if chosen.metric == "sum" else "best")


def similarity(pairs: list[tuple[CitingDocument, CitingDocument]], chosen: MetricSettings) -> Similarity | None:
    """The similarity of all claims that scores of these texts compare; None, with a notice on the page, if it is not there."""
    count = max((len(g.pairs) * len(r.pairs) for g, r in pairs), default=0) if chosen.metric == "fresco" else 0
    if count > MOST:
        shell.notice("info", messages.too_many(count, MOST, "citations"))
        return None
    return measures.similarity(chosen.measure, compared_claims(pairs, chosen))


def compared_claims(pairs: list[tuple[CitingDocument, CitingDocument]], chosen: MetricSettings) -> list[tuple[str, str]]:
    """The claims that scores of these texts compare."""
    collecting = measures.PairCollector()
    for generated, reference in pairs:
        score(generated, reference, collecting, chosen)
    return list(collecting.missing)
